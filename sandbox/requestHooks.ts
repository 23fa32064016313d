import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf } from './auth';
import type { Fault, Faults } from './faults';
import { record, type RecordedRequest } from './recorder';
import { createErrorBody, HttpError } from './httpError';
import type { Settings } from './settings';
import type { Timers } from './timers';

declare module 'fastify' {
	interface FastifyRequest {
		account: string;
		recorded?: RecordedRequest;
		fault?: Fault;
	}
}

interface RequestHookOptions {
	settings: Settings;
	timers: Timers;
	faults: Faults;
	/** Requests to the API. */
	requests: RecordedRequest[];
	/** Requests to the host of the results. */
	downloads: RecordedRequest[];
}

/** Hooks for every request: it is recorded and may meet an injected fault; API requests are also limited and authenticated. */
export function addRequestHooks(app: FastifyInstance, options: RequestHookOptions): void {
	const { settings, timers, faults, requests, downloads } = options;
	let inFlight = 0;
	const isOverRate = createRateLimit();
	app.decorateRequest('account', '');

	app.addHook('onRequest', async (request, reply) => {
		const isApiRequest = isApiPath(request);
		if (!isApiRequest && !request.url.startsWith('/files/')) return;
		request.recorded = record(request, settings.now());
		(isApiRequest ? requests : downloads).push(request.recorded);
		if (!isApiRequest) return;
		inFlight += 1;
		reply.raw.once('close', () => (inFlight -= 1));
		if (isOverRate(request, settings)) {
			request.recorded.fault = 'rate limit';
			const { windowMs, hasRetryAfter } = settings.submissionLimit!;
			const restMs = windowMs - (settings.now() % windowMs);
			if (hasRetryAfter) reply.header('retry-after', Math.ceil(restMs / 1_000));
			throw new HttpError(429, 'Too many submissions.');
		}
		if (inFlight > settings.concurrencyLimit) {
			reply.header('retry-after', settings.retryAfter);
			throw new HttpError(429, 'Too many requests at once.');
		}
	});

	app.addHook('preHandler', async (request, reply) => {
		const { recorded } = request;
		if (recorded === undefined) return;
		if (request.body !== undefined) recorded.body = request.body;
		if (isApiPath(request)) await timers.delay(settings.apiLatencyMs);
		const fault = faults.takeFault(recorded);
		if (fault !== undefined) {
			request.fault = fault;
			recorded.fault = fault.name;
			if (typeof fault.kind === 'object') await drainForm(request);
			if (replyWithFault(fault, request, reply)) return reply;
		}
		if (isApiPath(request)) request.account = accountOf(request, settings, recorded.path);
	});

	app.addHook('onSend', async (request, reply, payload) => {
		const { fault, recorded } = request;
		if (fault !== undefined && typeof fault.kind === 'string') {
			// Where the client has left, the stream breaks and fastify answers with its error: that reply is not spoiled again.
			request.fault = undefined;
			const sent = await spoilReply(fault, request, reply, payload, timers);
			if (recorded) recorded.status = reply.statusCode;
			return sent;
		}
		if (recorded) recorded.status = reply.statusCode;
		return payload;
	});
}

/** Counts submissions in windows that follow each other; tells which one is too many. */
function createRateLimit(): (request: FastifyRequest, settings: Settings) => boolean {
	let [window, count] = [0, 0];
	return ({ method, url }, { submissionLimit: limit, now }) => {
		if (!limit || method !== 'POST' || url !== '/v1/tasks') return false;
		const current = Math.floor(now() / limit.windowMs);
		[window, count] = [current, current === window ? count + 1 : 1];
		return count > limit.requests;
	};
}

/** A form is not read yet; a reply to a client that is still sending would reach it as a broken pipe. */
async function drainForm(request: FastifyRequest): Promise<void> {
	if (!request.isMultipart?.()) return;
	for await (const chunk of request.raw) void chunk;
}

const isApiPath = (request: FastifyRequest): boolean => request.url.startsWith('/v1/');

/** Faults that keep the request from being processed; true when the reply is settled. */
function replyWithFault({ kind }: Fault, request: FastifyRequest, reply: FastifyReply): boolean {
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
		.send(createErrorBody(kind.status, kind.message ?? 'Injected fault.', undefined, kind.code));
	return true;
}

/** Faults that spoil the reply to a processed request. */
async function spoilReply(
	{ kind, bodyMs, hangMs }: Fault,
	request: FastifyRequest,
	reply: FastifyReply,
	payload: unknown,
	timers: Timers,
): Promise<unknown> {
	if (kind === 'reset-after') request.raw.socket.destroy();
	if (kind === 'reset-after' || kind === 'hang') {
		if (payload instanceof Readable) payload.destroy();
		if (hangMs !== undefined) timers.schedule(hangMs, () => request.raw.socket.destroy());
		return new Promise(() => undefined);
	}
	reply.removeHeader('content-length');
	const chunks = payload instanceof Readable ? payload : splitPayload(payload as string | Buffer);
	if (kind === 'silent-body' || kind === 'silent-midway') {
		if (hangMs !== undefined) timers.schedule(hangMs, () => request.raw.socket.destroy());
		return Readable.from(fallSilent(chunks, kind === 'silent-body' ? 0 : 4));
	}
	if (kind === 'broken-json') return Readable.from(takeFirst(chunks, 6));
	if (kind === 'slow-body') return Readable.from(delayEach(chunks, bodyMs, timers));
	return Readable.from(resetMidway(chunks, request));
}

function* splitPayload(payload: string | Buffer): Generator<string | Buffer> {
	const size = Math.max(1, Math.ceil(payload.length / 10));
	for (let at = 0; at < payload.length; at += size) yield payload.slice(at, at + size);
}

type Chunks = Iterable<unknown> | AsyncIterable<unknown>;

async function* takeFirst(chunks: Chunks, count: number): AsyncGenerator<unknown> {
	for await (const chunk of chunks) {
		if (count-- <= 0) return;
		yield chunk;
	}
}

async function* fallSilent(chunks: Chunks, count: number): AsyncGenerator<unknown> {
	// A stream sends its headers with its first piece.
	if (!count) yield ' ';
	yield* takeFirst(chunks, count);
	await new Promise(() => undefined);
}

async function* delayEach(chunks: Chunks, ms: number, timers: Timers): AsyncGenerator<unknown> {
	for await (const chunk of chunks) {
		await timers.delay(ms / 10);
		yield chunk;
	}
}

async function* resetMidway(chunks: Chunks, request: FastifyRequest): AsyncGenerator<unknown> {
	yield* takeFirst(chunks, 4);
	await new Promise((done) => setImmediate(done));
	request.raw.socket.destroy();
}
