import type { GatewayContext, JsonObject } from './context';
import { delay } from './delay';
import { GatewayError, stoppedError } from './errors';
import type { ConcurrencyRange } from './concurrencyGrowth';
import { RateLimiter } from './rateLimiter';
import type { GatewayRequest } from './request';
import { errorFromStatus, type Attempt } from './response';
import {
	DEFAULT_RETRY,
	isRetryable,
	isOverloadStatus,
	isUnclearStatus,
	retryAfterMs,
	retryDelayMs,
	type RequestKind,
	type RetryOptions,
} from './retry';
import { createSender } from './sender';

export interface ClientResponse<T> {
	/** As the reader of the request reads it. */
	body: T;
	/** When the last try began, by the gateway's clock where it sends a Date header; Unix milliseconds. */
	requestedAt: number;
}

export interface ClientOptions extends ConcurrencyRange {
	retry?: RetryOptions;
	/** Milliseconds one try may take at most, where a caller waits for the answer. */
	longestMs?: number;
}

/** The only way to the gateway. One client serves one run of a node, so its limits hold across items. */
export interface GatewayClient {
	request<T = JsonObject>(request: GatewayRequest<T>): Promise<ClientResponse<T>>;
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

export function createClient(context: GatewayContext, options: ClientOptions): GatewayClient {
	const { clock, signal } = context;
	const { concurrency, retry = DEFAULT_RETRY, longestMs = Number.MAX_SAFE_INTEGER } = options;
	const limiter = new RateLimiter(clock, options);
	const sender = createSender(context, {
		longestMs,
		hasBeenRefused: () => limiter.hasBeenRefused,
	});

	/** Tries until a response is usable, must not be requested again, or the budget is spent. */
	async function withRetry<A extends Attempt>(
		request: GatewayRequest,
		tryOnce: () => Promise<A>,
	): Promise<A> {
		const { kind, until = Infinity } = request;
		const limits = { startedAt: clock.now(), budgetMs: retry.budgetMs, until, wasRefused: false };
		let waitedMs = 0;
		let refusedMs = 0;
		let refusal: GatewayError | undefined;
		/** An earlier try may have been carried out though its answer was lost: whether it is billed is unknown. */
		let isUncertain = false;
		/** Not even an overload explains why an earlier try had no answer. */
		let mayBeDone = false;
		for (let tries = 1, refusals = 0; ;) {
			const triedAt = clock.now();
			const turn = await limiter.run(kind, limits, signal, tryOnce);
			if (!turn) throw refusal ?? refusedUnsent(kind, isUncertain, mayBeDone);
			const { outcome: result, isRandom } = turn;
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
				...(mayBeDone && { may_be_done: true }),
				...(requestedMs !== undefined && { retry_after: Math.ceil(requestedMs / 1000) }),
			});
			if (status === 429) {
				// The delay of a rate-limited request depends on the responses to the others of the run.
				refusal = error;
				if (refusals >= (retry.refusals ?? Infinity)) throw error;
				refusals += 1;
				limits.wasRefused = true;
				if (!isRandom) continue;
				const ms = retryDelayMs(refusals, retry, requestedMs);
				refusedMs += ms;
				if (refusedMs > retry.budgetMs || now + ms > until) throw error;
				await delay(clock, ms, signal);
				continue;
			}
			const ms = retryDelayMs(tries, retry, requestedMs);
			const isSpent =
				waitedMs + ms > retry.budgetMs ||
				now + ms > until ||
				tries >= (request.attempts ?? retry.attempts);
			const isFinal = error.code === 'invalid_credential' || error.code === 'redirected';
			if (isSpent || isFinal || !isRetryable(kind, status)) throw error;
			const isUnclear = status === undefined || status >= 500 || isUnclearStatus(status);
			isUncertain ||= isUnclear;
			mayBeDone ||= isUnclear && !isOverloadStatus(status);
			tries += 1;
			waitedMs += ms;
			await delay(clock, ms, signal);
		}
	}

	/** The run is refused for longer than this request may wait, so it is not sent at all. */
	function refusedUnsent(
		kind: RequestKind,
		isUncertain: boolean,
		mayBeDone: boolean,
	): GatewayError {
		const retryAfter = Math.ceil(limiter.delayOf(kind) / 1000);
		return errorFromStatus(429, undefined, kind).addDetails({
			...(isUncertain && { billed: undefined }),
			...(mayBeDone && { may_be_done: true }),
			...(retryAfter > 0 && { retry_after: retryAfter }),
		});
	}

	return {
		context,
		concurrency,
		async request<T>(request: GatewayRequest<T>) {
			let began = 0;
			const { body, headers } = await withRetry(request, async () => {
				began = clock.now();
				return await sender.attempt(request);
			});
			const answeredAt = Date.parse(String(headers.date ?? '')) || clock.now();
			return { body: body as T, requestedAt: answeredAt - (clock.now() - began) };
		},
		async stream(request, silenceMs, consume) {
			let outcome: { result: Awaited<ReturnType<typeof consume>> } | undefined;
			await withRetry(request, async () => {
				const opened = await sender.attemptStream(request, silenceMs);
				if (!opened.pieces) return opened;
				outcome = { result: await consume(opened.pieces, opened.headers) };
				return opened;
			});
			return outcome!.result;
		},
	};
}
