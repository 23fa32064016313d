import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf } from './auth';
import type { Fault, Faults } from './faults';
import { record, type RecordedRequest } from './recorder';
import { envelope, Refusal } from './refusal';
import type { Settings } from './settings';
import type { Timers } from './timers';

declare module 'fastify' {
  interface FastifyRequest {
    account: string;
    recorded?: RecordedRequest;
    fault?: Fault;
  }
}

interface House {
  settings: Settings;
  timers: Timers;
  faults: Faults;
  requests: RecordedRequest[];
}

/** What every API request passes: the record, the limit, the faults, the key. */
export function addGate(app: FastifyInstance, house: House): void {
  const { settings, timers, faults, requests } = house;
  let inFlight = 0;
  app.decorateRequest('account', '');

  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/v1/')) return;
    const recorded = record(request, settings.now());
    request.recorded = recorded;
    requests.push(recorded);
    inFlight += 1;
    reply.raw.once('close', () => (inFlight -= 1));
    if (inFlight > settings.concurrencyLimit) {
      reply.header('retry-after', settings.retryAfter);
      throw new Refusal(429, 'Too many requests at once.');
    }
  });

  app.addHook('preHandler', async (request, reply) => {
    const { recorded } = request;
    if (recorded === undefined) return;
    if (request.body !== undefined) recorded.body = request.body;
    await timers.pause(settings.apiLatencyMs);
    const fault = faults.strike(recorded.method, recorded.path);
    if (fault !== undefined) {
      request.fault = fault;
      recorded.fault = fault.name;
      if (strikeBefore(fault, request, reply)) return reply;
    }
    request.account = accountOf(request, settings, recorded.path);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const { fault, recorded } = request;
    if (fault !== undefined && typeof fault.kind === 'string') {
      const sent = await strikeAfter(fault, request, reply, payload, timers);
      if (recorded) recorded.status = reply.statusCode;
      return sent;
    }
    if (recorded) recorded.status = reply.statusCode;
    return payload;
  });
}

/** Faults that keep the request from being processed; true when the reply is settled. */
function strikeBefore({ kind }: Fault, request: FastifyRequest, reply: FastifyReply): boolean {
  if (kind === 'reset-before') {
    reply.hijack();
    request.raw.socket.destroy();
    return true;
  }
  if (typeof kind === 'string') return false;
  if (kind.retryAfter !== undefined) reply.header('retry-after', kind.retryAfter);
  reply.headers(kind.headers ?? {});
  void reply
    .code(kind.status)
    .send(envelope(kind.status, kind.message ?? 'The sandbox was told to answer this.', undefined, kind.code));
  return true;
}

/** Faults that spoil the reply to a processed request. */
async function strikeAfter(
  { kind, bodyMs }: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  timers: Timers,
): Promise<unknown> {
  if (kind === 'reset-after') request.raw.socket.destroy();
  if (kind === 'reset-after' || kind === 'hang') {
    if (payload instanceof Readable) payload.destroy();
    return new Promise(() => undefined);
  }
  if (payload instanceof Readable) return Readable.from(kind === 'broken-json' ? firstOf(payload, 3) : slowly(payload, bodyMs, timers));
  if (typeof payload !== 'string') return payload;
  if (kind === 'broken-json') {
    reply.removeHeader('content-length');
    return payload.slice(0, Math.floor(payload.length * 0.6));
  }
  reply.removeHeader('content-length');
  return Readable.from(trickle(payload, bodyMs, timers));
}

async function* firstOf(payload: Readable, pieces: number): AsyncGenerator<unknown> {
  for await (const piece of payload) {
    if (pieces-- <= 0) return;
    yield piece;
  }
}

async function* slowly(payload: Readable, ms: number, timers: Timers): AsyncGenerator<unknown> {
  await timers.pause(ms);
  yield* payload;
}

async function* trickle(payload: string, ms: number, timers: Timers): AsyncGenerator<string> {
  const pieces = 10;
  const size = Math.ceil(payload.length / pieces);
  for (let at = 0; at < payload.length; at += size) {
    await timers.pause(ms / pieces);
    yield payload.slice(at, at + size);
  }
}
