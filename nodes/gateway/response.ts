import { parseJson } from './json';
import type { GatewayContext, HttpResponse } from './context';
import type { ErrorCode } from './errorCodes';
import { GatewayError } from './errors';
import { readErrorBody } from './errorBody';
import { redact } from './redact';
import type { GatewayRequest, ResponseReader } from './request';
import { isUnclearStatus, type RequestKind } from './retry';

/** The result of one attempt: a body, whole or in pieces, or an error. */
export interface Attempt {
	/** Undefined when no usable response came. */
	status?: number;
	headers: Record<string, unknown>;
	/** What the reader found. */
	body?: unknown;
	pieces?: AsyncIterable<Uint8Array>;
	error?: GatewayError;
}

interface Meaning {
	code: ErrorCode;
	message: string;
	/** Default: that of the code. */
	hint?: string;
}
/** From something that is no gateway, or that stands before one. */
const PAGE = {
	code: 'not_found',
	message: 'A web page answered instead of the gateway',
	hint: 'Check Base URL in the credential: the address of the gateway, without /v1. If it is right, something before the gateway has answered, e.g. a proxy, a firewall or a login page.',
} as const;
const PROXY = {
	...PAGE,
	message: 'A proxy before the gateway asks for a login',
	hint: 'Put the user and the password of the proxy into HTTP_PROXY and HTTPS_PROXY of this n8n.',
} as const;
const PAGE_STATUSES = new Set([401, 403, 404, 405, 511]);
const BY_STATUS: Record<number, Meaning> = {
	401: { code: 'invalid_api_key', message: 'The gateway does not accept the API key' },
	402: { code: 'insufficient_balance', message: 'Insufficient balance' },
	403: { code: 'forbidden', message: 'The API key has no access to this' },
	404: { code: 'not_found', message: 'The gateway does not know this ID or address' },
	407: PROXY,
	413: {
		code: 'bad_request',
		message: 'The request is too large for the gateway',
		hint: 'Send a smaller file, or fewer texts at once.',
	},
	429: { code: 'rate_limited', message: 'The gateway receives too many requests' },
};
const NO_MODEL = {
	code: 'not_found',
	message: 'The gateway does not offer this',
	hint: 'Choose another model: Model > Get Many Models lists what the gateway offers.',
} as const;
const BAD_REQUEST = { code: 'bad_request', message: 'The gateway refused the request' } as const;
const UPSTREAM = {
	code: 'gateway_error',
	message: 'The gateway could not process the request',
} as const;
const UNCLEAR = {
	code: 'unknown_outcome',
	message: 'The gateway did not say whether it carried out the request',
} as const;

/** The gateway itself has not answered. */
export const isPageError = ({ hint }: GatewayError): boolean =>
	hint === PAGE.hint || hint === PROXY.hint;
export const isPage = (body: unknown): boolean => typeof body === 'string' && /^\s*</.test(body);

const UNEXPLAINED = 'The gateway gave no reason. Check the model and the fields.';

/** Asset reference errors by the gateway's `code`: spec section 7. */
const ASSET_HINTS = new Map(
	Object.entries({
		asset_reference_invalid: 'Write the reference as asset://<asset_id>.',
		asset_reference_unsupported: 'This model or field takes no assets. Give a public link.',
		asset_not_found: 'The asset is missing, of another account, not active yet, or deleted.',
		asset_type_mismatch:
			'The type of the asset does not fit the field, e.g. an image in Video URLs.',
		asset_route_mismatch:
			'The asset cannot be used on the current route of the model. Use another asset or another model.',
	}),
);

/** An empty balance, also where the status is that of a rate limit or of a key. Waiting does not fill it. */
const NO_BALANCE =
	/^(insufficient_(\w+_)?(quota|balance|funds|credits?)|payment_required|pre_consume_token_quota_failed)$/;
const isOutOfBalance = ({ code = '', type = '' }: ReturnType<typeof readErrorBody>): boolean =>
	NO_BALANCE.test(code) || NO_BALANCE.test(type);
/** The status for the words of an error: spec section 7, and usual ones. Many say `invalid_request_error` of anything. */
const STATUS_OF_WORD = new Map([
	['authentication_error', 401],
	['permission_error', 403],
	['rate_limit_error', 429],
	['rate_limit_exceeded', 429],
	['server_error', 500],
	['bad_gateway', 502],
	['overloaded_error', 503],
]);

/** The error of a status of 400 and above (spec section 7). A repeat of a `submit` is safe. */
export function errorFromStatus(given: number, body: unknown, kind: RequestKind): GatewayError {
	const error = readErrorBody(body);
	const { message, param, type, code: gatewayCode } = error;
	const status = isOutOfBalance(error) ? 402 : given;
	const assetHint = ASSET_HINTS.get(gatewayCode ?? '') ?? ASSET_HINTS.get(type ?? '');
	const other = status >= 500 ? UPSTREAM : isUnclearStatus(status) ? UNCLEAR : BAD_REQUEST;
	const isModel = status === 404 && /\bmodel(_|\b)/i.test(`${gatewayCode} ${message}`);
	const meant = isModel ? NO_MODEL : (BY_STATUS[status] ?? other);
	const meaning: Meaning = PAGE_STATUSES.has(status) && isPage(body) ? PAGE : meant;
	const isUnexplained = meaning === BAD_REQUEST && !message;
	const reason = isUnexplained ? ` (status ${status})` : message ? `: ${message}` : '';
	const isSafeToRepeat = kind === 'submit' && (meaning === UPSTREAM || meaning === UNCLEAR);
	return new GatewayError(
		assetHint ? 'invalid_asset_reference' : meaning.code,
		`${meaning.message}${param ? ` (${param})` : ''}${reason}`,
		{
			hint: isSafeToRepeat
				? 'This error usually goes away. Use Retry On Fail, or Retry in the list of executions: they find a task that was already made, so that it is not billed twice. A new run makes a new task.'
				: (assetHint ?? meaning.hint ?? (isUnexplained ? UNEXPLAINED : undefined)),
			details: {
				http_status: given,
				...(isSafeToRepeat && { retry: true }),
				...(gatewayCode && { gateway_code: gatewayCode }),
				...(type && { gateway_type: type }),
				...(param && { param }),
			},
		},
	);
}

const ANY_OBJECT: ResponseReader<object> = {
	expects: 'an object',
	read: (body) => (typeof body === 'object' && body !== null ? body : undefined),
};

/** Reads a response: what the request is made for, or the error. */
export async function readResponse<T>(
	context: GatewayContext,
	{ status, headers: rawHeaders }: Pick<HttpResponse, 'status' | 'headers'>,
	text: string,
	{ kind, reader }: Pick<GatewayRequest<T>, 'kind' | 'reader'>,
): Promise<Attempt> {
	// Responses are stored with the execution, and may quote the key.
	const secret = await context.getSecret();
	const body = redact(parseJson(text), secret);
	const headers = redact(rawHeaders, secret);
	if (status >= 400) {
		const error = errorFromStatus(status, body, kind);
		const meant = error.code === 'insufficient_balance' ? 402 : status;
		return { status: isPageError(error) ? undefined : meant, headers, error };
	}
	const { location } = headers;
	if (status >= 300 && location) return { headers, error: redirectError(status, String(location)) };
	const wanted: ResponseReader<unknown> = reader ?? ANY_OBJECT;
	const found = status < 300 ? wanted.read(body, headers, () => redact(text, secret)) : undefined;
	if (found !== undefined) return { status, headers, body: found };
	const meant = statusInBody(body);
	if (meant) return { status: meant, headers, error: errorFromStatus(meant, body, kind) };
	return { headers, error: unreadableError(status, body, wanted) };
}

/** The status in an error with status 200. */
export function statusInBody(body: unknown): number | undefined {
	const error = readErrorBody(body);
	const { code = '', type = '' } = error;
	if (isOutOfBalance(error)) return 402;
	if (/^[45]\d\d$/.test(code)) return Number(code);
	return STATUS_OF_WORD.get(code) ?? STATUS_OF_WORD.get(type);
}

/** A web page, or an object without what was expected. */
function unreadableError(status: number, body: unknown, wanted: ResponseReader<unknown>) {
	const isObject = typeof body === 'object' && body !== null;
	const { message } = isObject ? readErrorBody(body) : {};
	return new GatewayError(
		'unreadable_response',
		isObject
			? `The gateway answered without ${wanted.expects}${message ? `: ${message}` : ''}`
			: `The gateway sent a response that cannot be read (status ${status})`,
		{
			hint: message ? 'Correct what it names, or run it again later.' : wanted.hint,
			details: { http_status: status },
		},
	);
}

/** Without the query, which may hold a signature. */
const redirectError = (status: number, location: string): GatewayError =>
	new GatewayError(
		'redirected',
		`The gateway points to another address: ${location.replace(/[?#].*/s, '').slice(0, 100)} (status ${status})`,
		{ details: { http_status: status } },
	);
