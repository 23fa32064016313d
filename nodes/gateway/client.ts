import { GatewayError } from './errors';
import { createLimiter } from './concurrency';
import {
	toGatewayError,
	CREDENTIAL,
	DEFAULT_TIMEOUT_MS,
	send,
	sendForStream,
	type GatewayRequest,
	type GatewayContext,
	type GatewayResponse,
} from './request';
import { delay, stoppedError } from './delay';
import type { CredentialContext } from './privateAddress';
import { DEFAULT_RETRY, isRetryable, retryDelayMs, retryAfterMs, type RetryPolicy } from './retry';

export {
	withoutCancelSignal,
	CREDENTIAL,
	type GatewayRequest,
	type GatewayContext,
} from './request';

export interface ClientResponse {
	body: unknown;
	/** When the last try began, by the gateway's clock where it tells the time; Unix milliseconds. */
	askedAt: number;
}

export interface ClientOptions {
	/** Calls under way at once. */
	concurrency: number;
	retry?: RetryPolicy;
	/** Milliseconds one try may take at most, where somebody waits for the answer. */
	longestMs?: number;
}

/** The only way to the gateway. One door serves one run of a node, so its limit holds across items. */
export interface GatewayClient {
	request(call: GatewayRequest): Promise<ClientResponse>;
	/** Calls, and gives every piece of the answer to `take` as it arrives. What `take` throws ends the stream. */
	stream(call: GatewayRequest, take: (chunk: Uint8Array) => void): Promise<void>;
	signal?: AbortSignal;
	concurrency: number;
}

/** Milliseconds a try is given even when its time is nearly up. */
const SHORTEST_TRY_MS = 1_000;

/** The door for one run. Every call is authenticated by the credential, which also knows the address. */
export function createClient(
	host: GatewayContext,
	{ concurrency, retry = DEFAULT_RETRY, longestMs }: ClientOptions,
): GatewayClient {
	const limit = createLimiter<GatewayResponse>(
		Math.max(1, Math.floor(concurrency)),
		({ status }) => status === 429,
	);
	const signal = host.getExecutionCancelSignal?.();

	/** Set by the first 429: from then on no call waits for a result at the gateway, since it holds a place there. */
	let isCrowded = false;

	function asItGoesOut(call: GatewayRequest): GatewayRequest {
		const headers = Object.fromEntries(
			Object.entries(call.headers ?? {}).filter(([name]) => !isCrowded || name !== 'Prefer'),
		);
		const left =
			call.until === undefined ? Infinity : Math.max(SHORTEST_TRY_MS, call.until - Date.now());
		const timeoutMs = Math.ceil(
			Math.min(call.timeoutMs ?? DEFAULT_TIMEOUT_MS, longestMs ?? Infinity, left),
		);
		return { ...call, timeoutMs, headers };
	}

	/** Tries until a reply is usable, may not be asked for again, or the budget is spent. */
	async function persist<R extends GatewayResponse>(
		{ kind, until = Infinity }: GatewayRequest,
		attempt: () => Promise<R>,
	): Promise<R> {
		let waited = 0;
		/** An earlier try may have been carried out though its answer was lost: then nobody knows whether it is billed. */
		let isUncertain = false;
		for (let tries = 1; ; tries += 1) {
			const reply = await limit(() => {
				if (signal?.aborted) throw stoppedError();
				return attempt();
			});
			const { status, headers, issue } = reply;
			if (!issue) return reply;
			if (signal?.aborted) throw stoppedError();
			isCrowded ||= status === 429;
			const asked = retryAfterMs(headers['retry-after'], Date.now());
			const ms = retryDelayMs(tries, retry, asked);
			const isSpent =
				waited + ms > retry.budgetMs ||
				Date.now() + ms > until ||
				(status !== 429 && tries >= retry.attempts);
			if (isSpent || !issue.details.retry || !isRetryable(kind, status))
				throw issue.with({
					...(isUncertain && { billed: undefined }),
					...(asked !== undefined && { retry_after: Math.ceil(asked / 1000) }),
				});
			isUncertain ||= status === undefined || status >= 500;
			waited += ms;
			await delay(ms, signal);
		}
	}

	const keyless = async (error: unknown): Promise<never> => {
		throw await redactKey(host, error);
	};

	return {
		signal,
		concurrency,
		async request(call) {
			let began = 0;
			const { body, headers } = await persist(call, () => {
				began = Date.now();
				return send(host, asItGoesOut(call));
			}).catch(keyless);
			const answeredAt = Date.parse(String(headers.date ?? '')) || Date.now();
			return { body, askedAt: answeredAt - (Date.now() - began) };
		},
		async stream(call, take) {
			await persist(call, async () => {
				const { chunks, ...reply } = await sendForStream(host, call);
				if (chunks) await flow(chunks, take, signal);
				return reply;
			}).catch(keyless);
		},
	};
}

/** A gateway may quote the key that it was called with, and what an issue says is stored with the execution. */
export async function redactKey(host: CredentialContext, error: unknown): Promise<unknown> {
	if (!(error instanceof GatewayError)) return error;
	const { apiKey } = await host.getCredentials(CREDENTIAL).catch(() => ({ apiKey: '' }));
	const key = String(apiKey ?? '').trim();
	return key ? error.redact(key) : error;
}

async function flow(
	chunks: AsyncIterable<Uint8Array>,
	take: (chunk: Uint8Array) => void,
	signal?: AbortSignal,
): Promise<void> {
	try {
		for await (const chunk of chunks) {
			if (signal?.aborted) throw stoppedError();
			take(chunk);
		}
	} catch (error) {
		throw toGatewayError(error);
	}
}
