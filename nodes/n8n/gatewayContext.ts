import { createHash } from 'crypto';
import type { IExecuteFunctions, IHttpRequestOptions, Logger } from 'n8n-workflow';
import { parseBaseUrl } from '../gateway/baseUrl';
import { createClient, type ClientOptions, type GatewayClient } from '../gateway/client';
import type { GatewayContext, HttpRequest, HttpResponse } from '../gateway/context';
import { toConnectionError } from './connectionError';
import {
	CREDENTIAL,
	CredentialCache,
	getSecret,
	readCredential,
	type CredentialReader,
} from './credential';
import { DailySpend } from './dailySpend';
import { MOST_CONCURRENCY } from './options';
import { systemClock } from './systemClock';

/** What a request needs of n8n's context. */
export interface CredentialContext extends CredentialReader {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequestWithAuthentication'>;
	getNode: IExecuteFunctions['getNode'];
	getExecutionCancelSignal?: () => AbortSignal | undefined;
	logger: Logger;
}

type OnTask = NonNullable<GatewayContext['onTask']>;

/** For one run of a node. */
export const createNodeClient = (
	node: CredentialContext,
	options: ClientOptions,
	onTask?: OnTask,
): GatewayClient => createClient(createGatewayContext(node, onTask), options);

/** A client that works after the user has stopped the execution. */
export const createClientAfterStop = (context: GatewayContext): GatewayClient =>
	createClient({ ...context, signal: undefined }, { concurrency: MOST_CONCURRENCY });

const UNAUTHORIZED = 401;

export function createGatewayContext(node: CredentialContext, onTask?: OnTask): GatewayContext {
	return {
		clock: systemClock,
		signal: node.getExecutionCancelSignal?.(),
		send: async (request) => {
			const credential = CredentialCache.of(node);
			credential.renew();
			let status: number | undefined;
			try {
				const response = await send(node, request);
				({ status } = response);
				return response;
			} finally {
				if (status === undefined || status === UNAUTHORIZED) credential.markStale();
			}
		},
		log: (message, facts) => node.logger?.debug(`Generation Gateway: ${message}`, facts),
		getSecret: async () => await getSecret(node),
		account: async () => await getAccount(node),
		onTask: (task) => {
			DailySpend.update(task);
			onTask?.(task);
		},
	};
}

async function send(node: CredentialContext, request: HttpRequest): Promise<HttpResponse> {
	const { helpers, logger } = node;
	// n8n 1.x keeps nothing of an error but its message.
	let credentialError: unknown;
	// n8n ends a request with the signal of its context, so each request has its own.
	const context = {
		helpers,
		logger,
		getNode: () => node.getNode(),
		getCredentials: async () =>
			await readCredential(node).catch((error: unknown) => {
				credentialError = error;
				throw error;
			}),
		getExecutionCancelSignal: () => request.signal,
	};
	try {
		const response = (await helpers.httpRequestWithAuthentication.call(
			context as never,
			CREDENTIAL,
			toOptions(request),
		)) as { statusCode: number } & Pick<HttpResponse, 'headers' | 'body'>;
		return { status: response.statusCode, headers: response.headers, body: response.body };
	} catch (error) {
		throw credentialError ?? (await toConnectionError(node, error, request.timeoutMs));
	}
}

/** As a stream, so that size and time of the body can be limited. */
function toOptions(request: HttpRequest): IHttpRequestOptions {
	const { method, path, headers, query, body, form, timeoutMs } = request;
	return {
		method,
		url: path,
		qs: query as IHttpRequestOptions['qs'],
		headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
		body: (form ?? (body && JSON.stringify(body))) as IHttpRequestOptions['body'],
		encoding: 'stream',
		timeout: timeoutMs,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
	};
}

/** The same for every node with this address and key. */
async function getAccount(node: CredentialContext): Promise<string | undefined> {
	const { baseUrl, apiKey } = await readCredential(node).catch(() => ({ baseUrl: '', apiKey: '' }));
	const address = parseBaseUrl(baseUrl);
	const key = String(apiKey ?? '').trim();
	if (!('href' in address) || !key) return undefined;
	return createHash('sha256').update(`${address.href}\n${key}`).digest('hex');
}
