import type { GatewayContext } from './context';
import type { JsonObject } from './json';
import { GatewayError, stoppedError } from './errors';
import { limiterOf } from './rateLimit/accounts';
import { RateLimiter, type Acquire } from './rateLimit/limiter';
import type { GatewayRequest, ResponseReader } from './request';
import type { Attempt } from './response';
import {
	dateOf,
	decide,
	DEFAULT_RETRY,
	retryAfterOf,
	startHistory,
	type RequestHistory,
	type RetryOptions,
} from './retry';
import { createSender } from './sender';

export interface ClientResponse<T> {
	/** As the reader of the request reads it. */
	body: T;
	/** An earlier attempt may have been carried out, and this may be its response. */
	isRepeat: boolean;
	/** When the first attempt began, by the gateway's Date header where it sends one; Unix milliseconds. */
	requestedAt: number;
}

export interface ClientOptions {
	/** Most requests at once. */
	concurrency: number;
	retry?: RetryOptions;
	/** Longest time for one attempt, in milliseconds, where a caller waits for the response. */
	longestMs?: number;
	/** Longest time until a request without a deadline is sent, in milliseconds. Default: 20 minutes, or `longestMs` if shorter. */
	longestWaitMs?: number;
	/** Default: the one of the account. */
	limiter?: RateLimiter;
}

const DEFAULT_WAIT_MS = 20 * 60_000;
const NOT_SENT = 'The request was not sent in time:';
const LIMITED = `${NOT_SENT} the gateway limits requests with this API key, or others came first`;
const OVERLOADED = `${NOT_SENT} the gateway has no capacity at the moment (503)`;

export type GatewayClient = ReturnType<typeof createClient>;

/** The only way to the gateway. One client serves one run of a node; all clients of an account share its limits. */
export function createClient(context: GatewayContext, options: ClientOptions) {
	const { clock } = context;
	const { concurrency, retry = DEFAULT_RETRY, longestMs = Infinity } = options;
	const { longestWaitMs = Math.min(DEFAULT_WAIT_MS, longestMs) } = options;
	const ownLimiter = options.limiter ?? new RateLimiter(clock);
	let waitsUntil = 0;
	let joined: { limiter: RateLimiter; acquire: Acquire } | undefined;
	const isRefusing = () => joined?.limiter.isRefusing ?? false;
	const attempt = createSender(context, longestMs, isRefusing);

	/** Joins the limiter of the account, which changes with the credential. */
	async function join(): Promise<Acquire> {
		const account = options.limiter ? undefined : await context.account?.();
		const limiter = account === undefined ? ownLimiter : limiterOf(account, clock);
		if (limiter !== joined?.limiter) joined = { limiter, acquire: limiter.join(concurrency) };
		return joined.acquire;
	}

	/** Sends a request until it succeeds or the retry policy ends it. */
	async function withRetry(
		request: GatewayRequest,
		attemptOnce: () => Promise<Attempt>,
	): Promise<{ result: Attempt; history: RequestHistory }> {
		const { kind, method, path, isOnce, hasFallback, signal = context.signal } = request;
		let { until = clock.now() + longestWaitMs } = request;
		const waitMs = until - clock.now();
		let history = startHistory(kind, { ...retry, hasFallback }, until);
		let notBefore = 0;
		let last: GatewayError | undefined;
		for (let attempts = 1; ; attempts += 1) {
			const acquire = await join();
			let veto: GatewayError | undefined;
			const isWanted = () => history.mayHaveExecuted || !(veto = request.veto?.());
			const permit = await acquire({ kind, until, notBefore, isWanted, signal });
			if (permit === 'unwanted') throw describe(veto!, history);
			if (permit === 'stopped') throw stopped(history);
			if (permit === 'late')
				throw describe(last ?? notSentError(joined!.limiter.isOverloaded(kind)), history);

			const startedAt = clock.now();
			// Until now, its own Concurrency may have held it back.
			if (kind === 'write' && attempts === 1) {
				until = startedAt + waitMs;
				history = { ...history, until };
			}
			let result: Attempt | undefined;
			try {
				result = await attemptOnce();
			} finally {
				permit(result?.status);
			}
			const { status, headers, error } = result;
			const endedAt = clock.now();
			const facts = { method, path, status, attempt: attempts, ms: endedAt - startedAt };
			context.log?.(`${method} ${path}`, { ...facts, ...(error && { code: error.code }) });
			if (!error) return { result, history };

			const requestedMs = retryAfterOf(headers, endedAt);
			const decision = decide(history, { status, details: error.details, requestedMs, endedAt });
			({ history } = decision);
			if (requestedMs !== undefined)
				error.addDetails({ retry_after: Math.ceil(requestedMs / 1000) });
			if (signal?.aborted) throw stopped(history);
			if (isOnce || decision.retryAt === undefined) throw describe(error, history);
			notBefore = decision.retryAt;
			if (result.status === 429) waitsUntil = Math.max(waitsUntil, Math.min(notBefore, until));
			last = error;
		}
	}

	return {
		context,
		/** The gateway has refused a request of the account lately, so none should take longer than it must. */
		get isRefusing() {
			return isRefusing();
		},
		/** Until when a refused request waits, by the clock of the context. In the past when none waits. */
		get waitsUntil() {
			return waitsUntil;
		},
		/** Rejects with a GatewayError. */
		async request<T = JsonObject>(request: GatewayRequest<T>): Promise<ClientResponse<T>> {
			let began = 0;
			const { result, history } = await withRetry(request, async () => {
				began ||= clock.now();
				return await attempt(request);
			});
			const answeredAt = dateOf(result.headers) ?? clock.now();
			const requestedAt = answeredAt - (clock.now() - began);
			return { body: result.body as T, isRepeat: history.isBillingUnknown, requestedAt };
		},
		/**
		 * Hands the body of the response to `consume` piece by piece. `getSilenceMs`: longest time between two.
		 * An error that `consume` throws counts as the response.
		 */
		async stream<T>(
			request: GatewayRequest,
			getSilenceMs: () => number,
			consume: (pieces: AsyncIterable<Uint8Array>) => Promise<T>,
		): Promise<T> {
			const { result } = await withRetry(request, async () => {
				const opened = await attempt(request, getSilenceMs);
				if (!opened.pieces) return opened;
				return await consume(opened.pieces).then(
					(body): Attempt => ({ ...opened, body }),
					(error: unknown) => {
						if (!(error instanceof GatewayError)) throw error;
						return { status: error.details.http_status, headers: opened.headers, error };
					},
				);
			});
			return result.body as T;
		},
	};
}

/** GET. Gives what the reader finds. Rejects with a GatewayError. */
export async function read<T>(
	client: GatewayClient,
	path: string,
	reader: ResponseReader<T>,
	more: Pick<GatewayRequest, 'query' | 'until' | 'timeoutMs'> = {},
): Promise<T> {
	const { body } = await client.request({ kind: 'read', method: 'GET', path, reader, ...more });
	return body;
}

/** POST of what might be billed twice. Gives what the reader finds. Rejects with a GatewayError. */
export async function write<T>(
	client: GatewayClient,
	path: string,
	reader: ResponseReader<T>,
	more: Pick<GatewayRequest, 'body' | 'form' | 'timeoutMs' | 'veto'>,
): Promise<T> {
	const { body } = await client.request({ kind: 'write', method: 'POST', path, reader, ...more });
	return body;
}

/** Of a request that has only waited for others. */
const notSentError = (isOverloaded: boolean): GatewayError =>
	isOverloaded
		? new GatewayError('gateway_error', OVERLOADED, { details: { billed: 0, http_status: 503 } })
		: new GatewayError('rate_limited', LIMITED);

/** Adds what earlier attempts leave open. The last error alone might say that nothing was billed. */
function describe(error: GatewayError, history: RequestHistory): GatewayError {
	return error.addDetails({
		...(history.isBillingUnknown && { billed: undefined }),
		...(history.mayHaveExecuted && { may_have_executed: true }),
	});
}

/** The user's stop. Nothing is billed unless an attempt says otherwise. */
const stopped = (history: RequestHistory): GatewayError =>
	describe(stoppedError().addDetails({ billed: 0 }), history);
