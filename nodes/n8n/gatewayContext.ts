import { createHash } from 'crypto';
import type { IExecuteFunctions, IHttpRequestOptions, Logger } from 'n8n-workflow';
import { parseBaseUrl } from '../gateway/baseUrl';
import { createClient, type ClientOptions, type GatewayClient } from '../gateway/client';
import type { GatewayContext, HttpRequest, HttpResponse } from '../gateway/context';
import { GatewayError, timeoutError, type ErrorDetails } from '../gateway/errors';
import { redact } from '../gateway/redact';
import { CREDENTIAL, CredentialCache, readCredential, type CredentialReader } from './credential';
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
	// n8n ends a request with the signal of its context, so each request has its own.
	const context = {
		helpers,
		logger,
		getNode: () => node.getNode(),
		getCredentials: async () => await readCredential(node),
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
		throw await toConnectionError(node, error, request.timeoutMs);
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

async function getSecret(node: CredentialReader): Promise<string> {
	const { apiKey } = await readCredential(node).catch(() => ({ apiKey: '' }));
	return String(apiKey ?? '').trim();
}

/** The same for every node with this address and key. */
async function getAccount(node: CredentialContext): Promise<string | undefined> {
	const { baseUrl, apiKey } = await readCredential(node).catch(() => ({ baseUrl: '', apiKey: '' }));
	const address = parseBaseUrl(baseUrl);
	const key = String(apiKey ?? '').trim();
	if (!('href' in address) || !key) return undefined;
	return createHash('sha256').update(`${address.href}\n${key}`).digest('hex');
}

interface ErrorLayer extends Partial<Error> {
	code?: string;
	syscall?: string;
	cause?: ErrorLayer;
}

/** What to check when a connection fails, by the reason in it. Older hosts give a reason in words. */
const CONNECTION_HINTS: readonly [reason: RegExp, hint: string][] = [
	[
		/wrong version number|packet length too long/,
		'The gateway does not speak https at this address. Begin Base URL in the credential with http://, or enter the address for https.',
	],
	[
		/certificate/i,
		'n8n does not trust the certificate of the gateway. Check Base URL in the credential, or set NODE_EXTRA_CA_CERTS for this n8n.',
	],
	[
		/ECONNREFUSED|refused the connection|\b127\.0\.0\.1\b|(^|[\s[])::1\b|localhost/i,
		'Check Base URL in the credential, and that the gateway runs. Where n8n runs in a container, localhost is the container itself.',
	],
	[
		/\b(ENOTFOUND|EAI_AGAIN)\b/,
		'No host has the name in Base URL. Check its spelling, and that this n8n can look up names.',
	],
];

/** Of a connection that was not made, to the gateway or to a proxy before it. */
const NOT_CONNECTED = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
]);
/** Of a certificate, which is checked before the request is sent. */
const NOT_TRUSTED = new Set([
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'CERT_HAS_EXPIRED',
	'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** What is known of a request that was certainly never sent. */
function unsentDetails(layers: readonly ErrorLayer[]): Partial<ErrorDetails> {
	const has = (codes: ReadonlySet<string>) => layers.some(({ code }) => codes.has(code ?? ''));
	if (has(NOT_TRUSTED)) return { billed: 0, retry: false };
	// A connection in use may break with the same code.
	const isInUse = layers.some(({ syscall }) => syscall === 'read' || syscall === 'write');
	return has(NOT_CONNECTED) && !isInUse ? { billed: 0 } : {};
}

/** n8n wraps errors some layers deep. A wrong setting is not worth a repeat. */
export async function toConnectionError(
	node: CredentialReader,
	error: unknown,
	timeoutMs: number,
): Promise<GatewayError> {
	const layers: ErrorLayer[] = [];
	for (let layer = error as ErrorLayer | undefined; layer && layers.length < 6; layer = layer.cause)
		layers.push(layer);
	// It may come from the file of a form.
	const fileError = layers.find((layer) => layer instanceof GatewayError);
	if (fileError) return fileError;
	if (layers.some(({ message = '' }) => /timeout of \d+ ?ms/i.test(message)))
		return timeoutError(timeoutMs, error);
	const setting = layers.find(
		({ name, message = '' }) =>
			name === 'NodeOperationError' || /Base URL|API Key|credential/i.test(message),
	);
	if (setting) {
		const { message = '' } = setting;
		const isMissing = /credential/i.test(message) && !/Base URL|API Key/.test(message);
		return new GatewayError('invalid_credential', message, {
			hint: isMissing
				? 'Choose a credential under Credential, or create one from Base URL and API Key of your gateway.'
				: undefined,
			cause: error,
		});
	}
	const code = layers
		.map((layer) => layer.code)
		.find((word) => typeof word === 'string' && /^E[A-Z_]+$/.test(word));
	const words = layers.at(-1)?.message ?? 'no response';
	const detail = redact(words, await getSecret(node)).slice(0, 200);
	const reason = code && !detail.includes(code) ? `${code}, ${detail}` : detail;
	const hint = CONNECTION_HINTS.find(([pattern]) => pattern.test(reason))?.[1];
	const message = `The gateway could not be reached (${reason})`;
	const details = unsentDetails(layers);
	return new GatewayError('connection_failed', message, { hint, details, cause: error });
}
