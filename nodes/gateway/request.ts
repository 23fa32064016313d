import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { GatewayError, errorFromStatus, connectionError } from './errors';
import type { Form } from '../n8n/binary/form';
import { withTimeout } from './delay';
import type { RequestKind } from './retry';

export const CREDENTIAL = 'generationGatewayApi';

/** The part of n8n's context that a call needs: any node that has the credential. */
export type GatewayContext = {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequestWithAuthentication'>;
	getCredentials: IExecuteFunctions['getCredentials'];
	getExecutionCancelSignal?: () => AbortSignal | undefined;
};

/**
 * The same host without its stop signal, for what must still be said after the user has stopped a run.
 * n8n would end every call of the context itself at once.
 */
export function withoutCancelSignal(host: IExecuteFunctions): GatewayContext {
	const getCredentials = async (type: string) => await host.getCredentials(type);
	return {
		helpers: host.helpers,
		getCredentials,
		getNode: () => host.getNode(),
		logger: host.logger,
	} as GatewayContext;
}

export interface GatewayRequest {
	kind: RequestKind;
	method: IHttpRequestMethods;
	/** From the version prefix on, e.g. `/v1/tasks`. */
	path: string;
	/** Made when the call is sent, where it holds files. */
	body?: IDataObject | (() => Promise<IDataObject>);
	/** A multipart body, made anew for each try because a try uses it up. */
	form?: () => Promise<Form>;
	query?: IDataObject;
	/** What a success answers does not matter. */
	anyBody?: true;
	headers?: Record<string, string>;
	/** Milliseconds one try may take. */
	timeoutMs?: number;
	/** Unix milliseconds after which it is not tried again. */
	until?: number;
}

/** What one try brought: a body, or the issue it met. */
export interface GatewayResponse {
	/** Undefined when no usable reply came. */
	status?: number;
	headers: Record<string, unknown>;
	body?: unknown;
	issue?: GatewayError;
}

export const DEFAULT_TIMEOUT_MS = 60_000;

async function requestOf(
	{ method, path, body, query, headers, timeoutMs }: GatewayRequest,
	form?: Form,
): Promise<IHttpRequestOptions> {
	return {
		method,
		url: path,
		body: form ? form.data : typeof body === 'function' ? await body() : body,
		qs: query,
		headers: { accept: 'application/json', ...headers },
		timeout: timeoutMs ?? DEFAULT_TIMEOUT_MS,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		...(!form && { json: true }),
	};
}

const asGiven = (host: GatewayContext, options: IHttpRequestOptions) =>
	host.helpers.httpRequestWithAuthentication.call(host as IExecuteFunctions, CREDENTIAL, options);

/** The HTTP client counts the time without a byte; a reply that comes byte by byte would never end. */
const GRACE_MS = 1_000;

/** One try. It throws nothing: what went wrong is the reply's issue. An upload may take as long as it takes. */
export async function send(host: GatewayContext, call: GatewayRequest): Promise<GatewayResponse> {
	const { form, timeoutMs = DEFAULT_TIMEOUT_MS } = call;
	if (form) return await exchange(host, call);
	return await withTimeout(timeoutMs + GRACE_MS, exchange(host, call), () => {
		return {
			headers: {},
			issue: connectionError(
				'ETIMEDOUT',
				`no whole answer within ${Math.round(timeoutMs / 1000)} s`,
			),
		};
	});
}

async function exchange(host: GatewayContext, call: GatewayRequest): Promise<GatewayResponse> {
	let form: Form | undefined;
	try {
		form = await call.form?.();
		const {
			statusCode: status,
			headers,
			body,
		} = (await asGiven(host, await requestOf(call, form))) as Raw;
		return call.anyBody && status < 300
			? { status, headers, body }
			: read({ statusCode: status, headers, body }, call.kind);
	} catch (error) {
		return { headers: {}, issue: toGatewayError(error) };
	} finally {
		form?.close();
	}
}

/** One try whose body comes in pieces: text chunks, as they arrive. */
export async function sendForStream(
	host: GatewayContext,
	call: GatewayRequest,
): Promise<GatewayResponse & { chunks?: AsyncIterable<Uint8Array> }> {
	try {
		const options: IHttpRequestOptions = {
			...(await requestOf(call)),
			encoding: 'stream',
			json: false,
		};
		const headers = {
			...options.headers,
			accept: 'text/event-stream',
			'content-type': 'application/json',
		};
		const body = JSON.stringify(options.body);
		const reply = (await asGiven(host, { ...options, headers, body })) as Raw & {
			body: AsyncIterable<Uint8Array>;
		};
		if (reply.statusCode < 300)
			return { status: reply.statusCode, headers: reply.headers, chunks: reply.body };
		return read({ ...reply, body: jsonIn(await wholeOf(reply.body)) }, call.kind);
	} catch (error) {
		return { headers: {}, issue: toGatewayError(error) };
	}
}

interface Raw {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
	const parts: Uint8Array[] = [];
	for await (const chunk of chunks) parts.push(chunk);
	return Buffer.concat(parts).toString('utf8');
}

function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

function read({ statusCode, headers, body: raw }: Raw, kind: RequestKind): GatewayResponse {
	const body = typeof raw === 'string' ? jsonIn(raw) : raw;
	if (statusCode >= 400)
		return { status: statusCode, headers, issue: errorFromStatus(statusCode, body, kind) };
	if (statusCode < 300 && typeof body === 'object' && body !== null)
		return { status: statusCode, headers, body };
	const { location } = headers;
	if (statusCode < 400 && statusCode >= 300 && location)
		return {
			headers,
			issue: new GatewayError(
				`The gateway's address leads on to ${String(location).slice(0, 100)} (status ${statusCode}), and the API key is not sent there`,
				'If that is your gateway, enter its address as Base URL in the credential.',
				{ retry: false, http_status: statusCode, billed: 0 },
			),
		};
	return {
		headers,
		issue: new GatewayError(
			`The gateway sent a reply that cannot be read (status ${statusCode})`,
			'Check that Base URL in the credential is the address of the gateway and not of a web page.',
			{ retry: true, http_status: statusCode },
		),
	};
}

interface Layer {
	code?: string;
	message?: string;
	name?: string;
	cause?: unknown;
}

/** n8n wraps what went wrong on the way, some layers deep; settings that are wrong are not worth a repeat. */
export function toGatewayError(error: unknown): GatewayError {
	if (error instanceof GatewayError) return error;
	const layers: Layer[] = [];
	for (
		let at = error as Layer | undefined;
		at && layers.length < 6;
		at = at.cause as Layer | undefined
	)
		layers.push(at);
	const setUp = layers.find(
		({ name, message }) =>
			name === 'NodeOperationError' || /Base URL|credential/i.test(message ?? ''),
	);
	if (setUp) {
		const isMissing =
			/credential/i.test(setUp.message ?? '') && !/Base URL/.test(setUp.message ?? '');
		const advice = isMissing
			? 'Choose a credential under Credential, or create one from Base URL and API Key of your gateway.'
			: 'Open the Generation Gateway credential and correct it.';
		return new GatewayError(setUp.message ?? '', advice, { retry: false });
	}
	const code = layers
		.map((layer) => layer.code)
		.find((word) => typeof word === 'string' && /^E[A-Z_]+$/.test(word));
	return connectionError(code, (layers.at(-1)?.message ?? 'no reply').slice(0, 200));
}
