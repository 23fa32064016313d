import type { ByteStream, GatewayContext, HttpMethod, HttpRequest, JsonObject } from './context';
import { readStream } from './byteStream';
import { delay, raceAbort, withTimeout } from './delay';
import { GatewayError, stoppedError } from './errors';
import { RateLimiter } from './rateLimiter';
import { errorFromStatus, readResponse, type Attempt } from './response';
import {
	DEFAULT_RETRY,
	isRetryable,
	isUnclearStatus,
	retryAfterMs,
	retryDelayMs,
	type RequestKind,
	type RetryOptions,
} from './retry';

/** A multipart body for one try. */
export interface FormUpload {
	data: unknown;
	/** To be called when the try is over: a request that did not come about leaves its file half read. */
	close: () => void;
}

export interface GatewayRequest {
	kind: RequestKind;
	method: HttpMethod;
	/** From the version prefix on, e.g. `/v1/tasks`. */
	path: string;
	/** Made when it is sent, where it holds files. */
	body?: JsonObject | (() => Promise<JsonObject>);
	/** A multipart body, made anew for each try because a try uses it up. */
	form?: () => Promise<FormUpload>;
	query?: JsonObject;
	headers?: Record<string, string>;
	/** Any body will do: what a success answers is not shown in the spec. */
	acceptsAnyBody?: true;
	/** Milliseconds one try may take. */
	timeoutMs?: number;
	/** Unix milliseconds after which it is not tried again. */
	until?: number;
}

export interface ClientResponse {
	body: unknown;
	/** When the last try began, by the gateway's clock where it sends a Date header; Unix milliseconds. */
	requestedAt: number;
}

export interface ClientOptions {
	/** Requests under way at once. */
	concurrency: number;
	retry?: RetryOptions;
	/** Milliseconds one try may take at most, where a caller waits for the answer. */
	longestMs?: number;
}

/** The only way to the gateway. One client serves one run of a node, so its limits hold across items. */
export interface GatewayClient {
	request(request: GatewayRequest): Promise<ClientResponse>;
	/**
	 * Sends a request and hands the body of its response to `consume` piece by piece. `silenceMs` is the
	 * longest time without a piece.
	 */
	stream<T>(
		request: GatewayRequest,
		silenceMs: number,
		consume: (pieces: AsyncIterable<Uint8Array>, headers: Record<string, unknown>) => Promise<T>,
	): Promise<T>;
	readonly context: GatewayContext;
	readonly concurrency: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** Milliseconds a try is given even when its time is nearly up. */
const SHORTEST_TRY_MS = 1_000;
/** The HTTP layer counts the time without a byte; an answer that comes byte by byte would never end. */
const GRACE_MS = 1_000;

type StreamAttempt = Attempt & { pieces?: AsyncIterable<Uint8Array> };

export function createClient(
	context: GatewayContext,
	{ concurrency, retry = DEFAULT_RETRY, longestMs = Number.MAX_SAFE_INTEGER }: ClientOptions,
): GatewayClient {
	const { clock, signal } = context;
	const limiter = new RateLimiter(clock, concurrency);

	function timeoutOf({ timeoutMs = DEFAULT_TIMEOUT_MS, until }: GatewayRequest): number {
		const left = until === undefined ? timeoutMs : Math.max(SHORTEST_TRY_MS, until - clock.now());
		return Math.ceil(Math.min(timeoutMs, longestMs, left));
	}

	/** `Prefer: wait` holds a place at the gateway; once it refuses requests, places are what is missing. */
	function headersOf({ headers = {} }: GatewayRequest): Record<string, string> {
		const sent = { accept: 'application/json', ...headers } as Record<string, string>;
		if (limiter.hasBeenRefused) delete sent.Prefer;
		return sent;
	}

	async function exchange(request: GatewayRequest, more: Partial<HttpRequest>) {
		const controller = new AbortController();
		const timeoutMs = timeoutOf(request);
		const form = await request.form?.();
		const { method, path, query } = request;
		const body = typeof request.body === 'function' ? await request.body() : request.body;
		const sent = context.send({
			method,
			path,
			query,
			...(form ? { form: form.data } : { body }),
			timeoutMs,
			headers: headersOf(request),
			signal: controller.signal,
			...more,
		});
		const abort = () => controller.abort();
		// An upload may take as long as it takes.
		const whole = form
			? sent
			: withTimeout(clock, timeoutMs + GRACE_MS, sent, () => {
					throw timeoutError(timeoutMs);
				});
		const response = raceAbort(whole, signal).catch((error: unknown) => {
			abort();
			void sent.catch(() => undefined);
			throw error;
		});
		return await response.then((answer) => ({ ...answer, abort })).finally(() => form?.close());
	}

	/** One try. It throws nothing: what went wrong is the attempt's error. */
	async function attempt(request: GatewayRequest): Promise<Attempt> {
		try {
			const response = await exchange(request, {});
			return await readResponse(context, response, request.kind, request.acceptsAnyBody);
		} catch (error) {
			return failed(error);
		}
	}

	async function attemptStream(request: GatewayRequest, silenceMs: number): Promise<StreamAttempt> {
		try {
			const headers = { ...headersOf(request), accept: 'text/event-stream, application/json' };
			const response = await exchange(request, { isStream: true, headers });
			const pieces = read(response.body as ByteStream, response.abort, silenceMs);
			const { status } = response;
			if (status < 300) return { status, headers: response.headers, pieces };
			const text = await readWhole(pieces);
			return await readResponse(context, { ...response, body: text }, request.kind);
		} catch (error) {
			return failed(error);
		}
	}

	async function* read(stream: ByteStream, abort: () => void, silenceMs: number) {
		const pieces: ByteStream = {
			[Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
			destroy() {
				stream.destroy();
				abort();
			},
		};
		const onSilence = () => timeoutError(silenceMs);
		try {
			yield* readStream(clock, pieces, { silenceMs, onSilence, signal });
		} catch (error) {
			throw toGatewayError(error);
		}
	}

	/** Tries until a response is usable, must not be requested again, or the budget is spent. */
	async function withRetry<A extends Attempt>(
		request: GatewayRequest,
		tryOnce: () => Promise<A>,
	): Promise<A> {
		const { kind, until = Infinity } = request;
		const limits = { startedAt: clock.now(), budgetMs: retry.budgetMs, until };
		let waitedMs = 0;
		let refusal: GatewayError | undefined;
		/** An earlier try may have been carried out though its answer was lost: whether it is billed is unknown. */
		let isUncertain = false;
		for (let tries = 1, refusals = 0; ;) {
			const triedAt = clock.now();
			const result = await limiter.run(kind, limits, signal, tryOnce);
			if (!result) throw refusal ?? refusedUnsent(kind, isUncertain);
			const { status, headers, error } = result;
			const { method, path } = request;
			const facts = { method, path, status, attempt: tries + refusals, ms: clock.now() - triedAt };
			context.log?.(`${method} ${path}`, { ...facts, ...(error && { code: error.code }) });
			if (!error) return result;
			if (signal?.aborted) throw stoppedError();

			const now = clock.now();
			const requestedMs = retryAfterMs(headers['retry-after'], now);
			error.addDetails({
				...(isUncertain && { billed: undefined }),
				...(requestedMs !== undefined && { retry_after: Math.ceil(requestedMs / 1000) }),
			});
			if (status === 429) {
				// The delay of a rate-limited request depends on the responses to the others of the run.
				refusal = error;
				refusals += 1;
				continue;
			}
			const ms = retryDelayMs(tries, retry, requestedMs);
			const isSpent = waitedMs + ms > retry.budgetMs || now + ms > until || tries >= retry.attempts;
			const isFinal = error.code === 'credential_invalid' || error.code === 'redirected';
			if (isSpent || isFinal || !isRetryable(kind, status)) throw error;
			isUncertain ||= status === undefined || status >= 500 || isUnclearStatus(status);
			tries += 1;
			waitedMs += ms;
			await delay(clock, ms, signal);
		}
	}

	/** The run is refused for longer than this request may wait, so it is not sent at all. */
	function refusedUnsent(kind: RequestKind, isUncertain: boolean): GatewayError {
		const retryAfter = Math.ceil(limiter.delayOf(kind) / 1000);
		return errorFromStatus(429, undefined, kind).addDetails({
			...(isUncertain && { billed: undefined }),
			...(retryAfter > 0 && { retry_after: retryAfter }),
		});
	}

	return {
		context,
		concurrency,
		async request(request) {
			let began = 0;
			const { body, headers } = await withRetry(request, async () => {
				began = clock.now();
				return await attempt(request);
			});
			const answeredAt = Date.parse(String(headers.date ?? '')) || clock.now();
			return { body, requestedAt: answeredAt - (clock.now() - began) };
		},
		async stream(request, silenceMs, consume) {
			let outcome: { result: Awaited<ReturnType<typeof consume>> } | undefined;
			await withRetry(request, async () => {
				const opened = await attemptStream(request, silenceMs);
				if (!opened.pieces) return opened;
				outcome = { result: await consume(opened.pieces, opened.headers) };
				return opened;
			});
			return outcome!.result;
		},
	};
}

async function readWhole(pieces: AsyncIterable<Uint8Array>): Promise<string> {
	const decoder = new TextDecoder();
	let text = '';
	for await (const piece of pieces) text += decoder.decode(piece, { stream: true });
	return text + decoder.decode();
}

const failed = (error: unknown): Attempt => ({ headers: {}, error: toGatewayError(error) });

/** What broke while a body was read; what never came about is a GatewayError of the context already. */
function toGatewayError(error: unknown): GatewayError {
	if (error instanceof GatewayError) return error;
	const reason = error instanceof Error ? error.message : String(error);
	return new GatewayError('connection_failed', `The connection to the gateway broke (${reason})`, {
		cause: error,
	});
}

const timeoutError = (ms: number): GatewayError =>
	new GatewayError('timeout', `The gateway was silent for ${Math.round(ms / 1000)} s`);
