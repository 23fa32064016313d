import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf } from './auth';
import type { Fault, Faults } from './faults';
import { record, type RecordedRequest } from './recorder';
import { envelope, Refusal } from './httpError';
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
	/** Requests to the API. */
	requests: RecordedRequest[];
	/** Requests to the host of the results. */
	downloads: RecordedRequest[];
}

/** What every request passes: the record and the faults; and to the API, the limit and the key. */
export function addGate(app: FastifyInstance, house: House): void {
	const { settings, timers, faults, requests, downloads } = house;
	let inFlight = 0;
	app.decorateRequest('account', '');

	app.addHook('onRequest', async (request, reply) => {
		const api = isApi(request);
		if (!api && !request.url.startsWith('/files/')) return;
		request.recorded = record(request, settings.now());
		(api ? requests : downloads).push(request.recorded);
		if (!api) return;
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
		if (isApi(request)) await timers.pause(settings.apiLatencyMs);
		const fault = faults.strike(recorded);
		if (fault !== undefined) {
			request.fault = fault;
			recorded.fault = fault.name;
			if (typeof fault.kind === 'object') await drained(request);
			if (strikeBefore(fault, request, reply)) return reply;
		}
		if (isApi(request)) request.account = accountOf(request, settings, recorded.path);
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

/** A form is not read yet; a reply to a client that is still sending would reach it as a broken pipe. */
async function drained(request: FastifyRequest): Promise<void> {
	if (!request.isMultipart?.()) return;
	for await (const chunk of request.raw) void chunk;
}

const isApi = (request: FastifyRequest): boolean => request.url.startsWith('/v1/');

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
		.send(
			envelope(
				kind.status,
				kind.message ?? 'The sandbox was told to answer this.',
				undefined,
				kind.code,
			),
		);
	return true;
}

/** Faults that spoil the reply to a processed request. */
async function strikeAfter(
	{ kind, bodyMs, hangMs }: Fault,
	request: FastifyRequest,
	reply: FastifyReply,
	payload: unknown,
	timers: Timers,
): Promise<unknown> {
	if (kind === 'reset-after') request.raw.socket.destroy();
	if (kind === 'reset-after' || kind === 'hang') {
		if (payload instanceof Readable) payload.destroy();
		if (hangMs !== undefined) timers.after(hangMs, () => request.raw.socket.destroy());
		return new Promise(() => undefined);
	}
	reply.removeHeader('content-length');
	const pieces = payload instanceof Readable ? payload : cut(payload as string | Buffer);
	if (kind === 'broken-json') return Readable.from(firstOf(pieces, 6));
	if (kind === 'slow-body') return Readable.from(slowly(pieces, bodyMs, timers));
	return Readable.from(untilReset(pieces, request));
}

function* cut(payload: string | Buffer): Generator<string | Buffer> {
	const size = Math.max(1, Math.ceil(payload.length / 10));
	for (let at = 0; at < payload.length; at += size) yield payload.slice(at, at + size);
}

type Pieces = Iterable<unknown> | AsyncIterable<unknown>;

async function* firstOf(pieces: Pieces, count: number): AsyncGenerator<unknown> {
	for await (const piece of pieces) {
		if (count-- <= 0) return;
		yield piece;
	}
}

async function* slowly(pieces: Pieces, ms: number, timers: Timers): AsyncGenerator<unknown> {
	for await (const piece of pieces) {
		await timers.pause(ms / 10);
		yield piece;
	}
}

async function* untilReset(pieces: Pieces, request: FastifyRequest): AsyncGenerator<unknown> {
	yield* firstOf(pieces, 4);
	await new Promise((done) => setImmediate(done));
	request.raw.socket.destroy();
}
