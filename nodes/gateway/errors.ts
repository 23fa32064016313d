import { ERROR_CODES, type ErrorCode, type ErrorCodeInfo } from './errorCodes';

/** One thing to correct: `field` is the wire name, `message` names it as the panel shows it. */
export interface FieldIssue {
	field: string;
	message: string;
}

/** What is known about the task and the money when something did not work. */
export interface ErrorDetails {
	task_id?: string;
	status?: string;
	/** Quota charged; 0 when nothing was or it was refunded; undefined when it is not known. */
	billed?: number;
	/** Whether running the same again makes sense. */
	retry: boolean;
	http_status?: number;
	/** The gateway's own code, where it names one. */
	gateway_code?: string;
	/** Seconds after which the gateway accepts requests again. */
	retry_after?: number;
	/** What to correct before sending. */
	issues?: FieldIssue[];
	[more: string]: unknown;
}

export interface GatewayErrorOptions {
	/** What to do next; unless given, what the code says. */
	hint?: string;
	details?: Partial<ErrorDetails>;
	cause?: unknown;
}

/**
 * Anything that ended an item: refused before sending, by the gateway or on the way. `message` says
 * what happened, `hint` what to do next, `code` is stable. None of them ever holds a key.
 */
export class GatewayError extends Error {
	readonly hint: string;
	readonly details: ErrorDetails;

	constructor(
		readonly code: ErrorCode,
		message: string,
		{ hint, details, cause }: GatewayErrorOptions = {},
	) {
		super(message, { cause });
		this.name = 'GatewayError';
		const { action, retry, billed }: ErrorCodeInfo = ERROR_CODES[code];
		this.hint = hint ?? action;
		this.details = { retry, ...(billed === 'no' && { billed: 0 }), ...details };
	}

	/** Running the same again makes sense. */
	get isRetryable(): boolean {
		return this.details.retry;
	}

	/** The gateway refused for good: another try of the same gets the same answer. */
	get isRefused(): boolean {
		return REFUSALS.has(this.code);
	}

	/** Notes what a later step knows about the same error. */
	addDetails(more: Partial<ErrorDetails>): this {
		Object.assign(this.details, more);
		return this;
	}
}

const REFUSALS: ReadonlySet<ErrorCode> = new Set([
	'bad_request',
	'invalid_asset_reference',
	'invalid_api_key',
	'forbidden',
	'not_found',
	'invalid_credential',
	'redirected',
]);

/** Adds what a step knows to an error that passes it; other things that are thrown pass unchanged. */
export function withDetails(error: unknown, more: Partial<ErrorDetails>): unknown {
	return error instanceof GatewayError ? error.addDetails(more) : error;
}

/** What a stopped execution ends with. */
export const stoppedError = (): GatewayError =>
	new GatewayError('stopped', 'The execution was stopped');

/** What a request ends with after so many milliseconds without a byte. */
export const timeoutError = (ms: number, cause?: unknown): GatewayError =>
	new GatewayError('timeout', `The gateway was silent for ${Math.round(ms / 1000)} s`, { cause });
