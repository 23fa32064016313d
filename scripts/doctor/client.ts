import axios from 'axios';
import { createClient, type GatewayClient } from '../../nodes/gateway/client';
import type { ByteStream, HttpRequest, HttpResponse } from '../../nodes/gateway/context';
import { GatewayError, timeoutError } from '../../nodes/gateway/errors';
import { systemClock } from '../../nodes/n8n/systemClock';

/** Someone waits at a terminal. */
const RETRY = { attempts: 3, budgetMs: 20_000, firstDelayMs: 400, refusals: 3 };

/** The nodes' own client without n8n: the same retries and the same reading of responses, for requests without files. */
export function createScriptClient(base: URL, key: string, signal?: AbortSignal): GatewayClient {
	const send = async (request: HttpRequest): Promise<HttpResponse> => {
		const { method, path, query, timeoutMs: timeout } = request;
		const { status, headers, data } = await axios
			.request<ByteStream>({
				method,
				url: `${base.href.replace(/\/$/, '')}${path}`,
				params: query,
				data: request.body,
				headers: { ...request.headers, Authorization: `Bearer ${key}` },
				timeout,
				signal: request.signal,
				responseType: 'stream',
				maxRedirects: 0,
				validateStatus: () => true,
			})
			.catch((error: unknown) => {
				throw toConnectionError(error, timeout);
			});
		return { status, headers: { ...headers }, body: data };
	};
	const context = { send, signal, clock: systemClock, getSecret: async () => key };
	return createClient(context, { concurrency: 1, retry: RETRY, longestWaitMs: RETRY.budgetMs });
}

function toConnectionError(error: unknown, timeoutMs: number): GatewayError {
	const { code, message } = error as Error & { code?: string };
	if (code === 'ECONNABORTED' || code === 'ETIMEDOUT') return timeoutError(timeoutMs, error);
	const reason = message || code || 'no response';
	return new GatewayError('connection_failed', `The gateway could not be reached (${reason})`, {
		cause: error,
	});
}
