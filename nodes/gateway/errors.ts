import { readErrorBody } from './errorBody';
import type { RequestKind } from './retry';

/** What is known about the money and the task when something did not work. */
export interface ErrorDetails {
	task_id?: string;
	status?: string;
	/** Quota charged; 0 when refunded; undefined when it is not known. */
	billed?: number;
	/** Whether running the same again makes sense. */
	retry: boolean;
	http_status?: number;
	/** Seconds after which the gateway wants to be asked again. */
	retry_after?: number;
	[more: string]: unknown;
}

/**
 * Anything between the node and the gateway that ended an item. `message` says what happened,
 * `advice` what to do next; neither ever holds a key. The router makes the n8n error of it.
 */
export class GatewayError extends Error {
	constructor(
		message: string,
		readonly hint: string,
		readonly details: ErrorDetails,
	) {
		super(message);
		this.name = 'GatewayIssue';
	}

	/** The same issue with what a later step knows about it. */
	with(more: Partial<ErrorDetails>): GatewayError {
		return new GatewayError(this.message, this.hint, { ...this.details, ...more });
	}

	/** The same issue with a secret blotted out wherever the gateway quotes it. */
	redact(secret: string): GatewayError {
		const blotted = <Kept>(value: Kept) =>
			typeof value === 'string' ? value.replaceAll(secret, '[API key]') : value;
		const standing = Object.fromEntries(
			Object.entries(this.details).map(([name, value]) => [name, blotted(value)]),
		);
		return new GatewayError(blotted(this.message), this.hint, standing as ErrorDetails);
	}
}

interface Meaning {
	message: string;
	advice: string;
	retry: boolean;
}

const MEANINGS: Record<number, Meaning> = {
	400: {
		message: 'The gateway did not accept the request',
		advice:
			'Nothing was billed. Correct the field named above; Task > Submit shows the body with Dry Run.',
		retry: false,
	},
	401: {
		message: 'The gateway did not accept the API key',
		advice:
			'Check API Key in the Generation Gateway credential; keys are made in the console of the gateway.',
		retry: false,
	},
	402: {
		message: 'The balance of the account does not cover the request',
		advice: 'Nothing was billed. Top up the account in the console of the gateway, then run again.',
		retry: false,
	},
	403: {
		message: 'The API key may not do this',
		advice: 'Use a key with the permission for this model or endpoint.',
		retry: false,
	},
	404: {
		message: 'The gateway does not know this address or ID',
		advice: 'Check the ID (IDs of another account are not visible) and Base URL in the credential.',
		retry: false,
	},
	429: {
		message: 'The gateway is receiving too many requests',
		advice: 'Lower Concurrency under Options, or run again later.',
		retry: true,
	},
};

const UPSTREAM: Meaning = {
	message: 'The gateway could not process the request',
	advice: 'It is likely to pass; run again later.',
	retry: true,
};

/** Statuses below 500 after which the request may have been carried out all the same. */
const UNCLEAR = new Set([408, 409, 425]);
const UNKNOWN_OUTCOME: Meaning = {
	message: 'The gateway did not say what became of the request',
	advice: 'Look in the console of the gateway whether it was carried out before you run it again.',
	retry: false,
};

const meaningOf = (status: number): Meaning =>
	MEANINGS[status] ??
	(status >= 500 ? UPSTREAM : UNCLEAR.has(status) ? UNKNOWN_OUTCOME : MEANINGS[400]!);

/** Asset reference errors by `code`: spec section 7. */
const ASSET_CODES: Record<string, string> = {
	asset_reference_invalid: 'Write the reference as asset://<asset_id>.',
	asset_reference_unsupported: 'This model or field takes no assets; give a public link.',
	asset_not_found: 'The asset is missing, of another account, not active yet, or deleted.',
	asset_type_mismatch: 'The kind of asset does not fit the field, e.g. an image in Video URLs.',
	asset_route_mismatch:
		'The asset cannot be used where the model runs now; upload it again for this model.',
};

/** The issue behind an HTTP status of 400 and above (spec section 7). Only submissions have a key that keeps them from being billed twice. */
export function errorFromStatus(status: number, body: unknown, kind: RequestKind): GatewayError {
	const meaning = meaningOf(status);
	const { message, param, code } = readErrorBody(body);
	const billed = status < 500 && !UNCLEAR.has(status) ? 0 : undefined;
	const where = param ? ` (${param})` : '';
	const said = message ? `${where}: ${message}` : where;
	return new GatewayError(
		`${meaning.message}${said}`,
		ASSET_CODES[code ?? ''] ??
			(kind === 'submit' && billed === undefined
				? `${meaning.advice} The same submission is not billed twice.`
				: meaning.advice),
		{
			retry: meaning.retry,
			http_status: status,
			...(billed === 0 && { billed }),
			...(code && { code }),
		},
	);
}

/** The issue behind a connection that did not come about or broke. `code` is Node's, e.g. ECONNREFUSED. */
export function connectionError(code: string | undefined, detail: string): GatewayError {
	const reason = code && !detail.includes(code) ? `${code}, ${detail}` : detail;
	const isHere = /\b127\.0\.0\.1\b|(^|[\s[])::1\b|localhost/.test(detail);
	const here = isHere ? ' Where n8n runs in a container, localhost is the container itself.' : '';
	return new GatewayError(
		`The gateway could not be reached (${reason})`,
		`Check Base URL in the credential and that the gateway is running and open to this n8n.${here}`,
		{ retry: true },
	);
}
