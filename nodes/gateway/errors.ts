import { ERROR_CODES, type ErrorCode, type ErrorCodeInfo } from './errorCodes';

/** What is known about the task and the money. */
export interface ErrorDetails {
	task_id?: string;
	status?: string;
	/** Quota charged. 0: nothing, or refunded. Undefined: not known. */
	billed?: number;
	/** Whether running the same again makes sense. */
	retry: boolean;
	http_status?: number;
	/** The gateway's own code, where it names one. */
	gateway_code?: string;
	gateway_type?: string;
	/** The field that the gateway names. */
	param?: string;
	/** In seconds. */
	retry_after?: number;
	/** What to correct. `field` is the wire name; `message` uses the label. */
	issues?: { field: string; message: string }[];
	[more: string]: unknown;
}

/** Why an item failed. `message`: what happened; `hint`: what to do next, by default that of the code. No key is in them. */
export class GatewayError extends Error {
	hint: string;
	readonly details: ErrorDetails;

	constructor(
		readonly code: ErrorCode,
		message: string,
		more: { hint?: string; details?: Partial<ErrorDetails>; cause?: unknown } = {},
	) {
		const { hint, details, cause } = more;
		super(message, { cause });
		this.name = 'GatewayError';
		const { action, retry = false, billed }: ErrorCodeInfo = ERROR_CODES[code];
		this.hint = hint ?? action;
		this.details = { retry, ...(billed === 'no' && { billed: 0 }), ...details };
	}

	/** Another try would get the same answer. */
	get isPermanent(): boolean {
		return PERMANENT.has(this.code);
	}

	addDetails(more: Partial<ErrorDetails>): this {
		Object.assign(this.details, more);
		return this;
	}
}

const PERMANENT: ReadonlySet<ErrorCode> = new Set([
	'bad_request',
	'invalid_asset_reference',
	'invalid_api_key',
	'forbidden',
	'not_found',
	'invalid_credential',
	'redirected',
]);

/** Adds details to a GatewayError. Anything else that was thrown stays as it is. */
export function withDetails(error: unknown, more: Partial<ErrorDetails>): unknown {
	return error instanceof GatewayError ? error.addDetails(more) : error;
}

/** The hint of a request that was refused before it was sent. */
export const NOT_SENT = 'Nothing was sent and nothing was billed.';

export const stoppedError = (): GatewayError =>
	new GatewayError('stopped', 'The execution was stopped');

/** Before anything was sent. `what`: the file. */
export function unreadableFileError(cause: unknown, what = 'a file of the item'): GatewayError {
	const reason = cause instanceof Error ? cause.message : String(cause);
	return new GatewayError('file_unavailable', `n8n could not read ${what} (${reason})`, {
		hint: 'Nothing was sent. Run the nodes before this one again.',
		cause,
	});
}

/** The error after so many milliseconds without a byte. */
export const timeoutError = (ms: number, cause?: unknown): GatewayError =>
	new GatewayError('timeout', `The gateway was silent for ${Math.round(ms / 1000)} s`, { cause });
