import type { HttpMethod } from './context';
import type { JsonObject } from './json';
import type { GatewayError } from './errors';
import type { RequestKind } from './retry';

/** A multipart body for one attempt. */
export interface FormUpload {
	data: unknown;
	/** To be called after the attempt: a request that failed leaves its file half read. */
	close: () => void;
}

/** What a response is read for. Without it the response is unreadable, whatever its status: it may be a web page. */
export interface ResponseReader<T> {
	/** For the message: "a task". */
	expects: string;
	/** What to do when it is missing and the response does not say why. */
	hint?: string;
	/** Undefined where it is missing. `text`: the body before JSON was read in it. */
	read: (body: unknown, headers: Record<string, unknown>, text: () => string) => T | undefined;
}

/** A read is repeated, so it cannot be a method that may be billed. */
type Method =
	| { kind: 'read'; method: 'GET' }
	| { kind: Exclude<RequestKind, 'read'>; method: Exclude<HttpMethod, 'GET'> };

export type GatewayRequest<T = unknown> = Method & {
	/** e.g. `/v1/tasks` */
	path: string;
	/** A function where it holds files. */
	body?: JsonObject | (() => Promise<JsonObject>);
	/** A multipart body, made anew for each attempt. */
	form?: () => Promise<FormUpload>;
	query?: JsonObject;
	headers?: Record<string, string>;
	/** Default: any object. */
	reader?: ResponseReader<T>;
	/** For one attempt. */
	timeoutMs?: number;
	/** Unix milliseconds. No attempt begins later, and a read ends then. */
	until?: number;
	/** Called before each attempt while none may have been carried out. Returns why it must not be sent any more. */
	veto?: () => GatewayError | undefined;
	/** No retries. */
	isOnce?: true;
	/** See RetryOptions. */
	hasFallback?: boolean;
	/** Ends the request. Default: the user's stop. */
	signal?: AbortSignal;
	/** That does not end an attempt, because its response names the task. */
	outlivesStop?: true;
};
