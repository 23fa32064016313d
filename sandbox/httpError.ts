import type { Body } from './settings';

const types: Record<number, string> = {
	400: 'invalid_request_error',
	401: 'authentication_error',
	402: 'payment_required',
	403: 'permission_error',
	404: 'not_found_error',
	429: 'rate_limit_error',
	500: 'server_error',
	502: 'bad_gateway',
	503: 'service_unavailable',
	504: 'gateway_timeout',
};

/** A reply that is not a success, in the envelope of section 7. */
export class HttpError extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly param?: string,
		readonly code: number | string = status,
	) {
		super(message);
	}

	toBody(): Body {
		return createErrorBody(this.status, this.message, this.param, this.code);
	}
}

export function createErrorBody(
	status: number,
	message: string,
	param?: string,
	code: number | string = status,
): Body {
	const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
	return { error: { code, message, type, ...(param === undefined ? {} : { param }) } };
}
