import type { HttpMethod, JsonObject } from './context';
import type { GatewayError } from './errors';
import type { RequestKind } from './retry';

/** A multipart body for one attempt. */
export interface FormUpload {
	data: unknown;
	/** To be called when the attempt is over: a request that did not come about leaves its file half read. */
	close: () => void;
}

/** What a response is read for. A response without it is unreadable, whatever its status is: it may be the page of a proxy. */
export interface ResponseReader<T> {
	/** For the message: "a task". */
	expects: string;
	/** What to do where it is missing, and the response does not say why. */
	hint?: string;
	/** Undefined where the response does not hold it. */
	read: (body: unknown, headers: Record<string, unknown>) => T | undefined;
}

export interface GatewayRequest<T = unknown> {
	kind: RequestKind;
	method: HttpMethod;
	/** From the version prefix on, e.g. `/v1/tasks`. */
	path: string;
	/** Made when it is sent, where it holds files. */
	body?: JsonObject | (() => Promise<JsonObject>);
	/** A multipart body, made anew for each attempt because an attempt uses it up. */
	form?: () => Promise<FormUpload>;
	query?: JsonObject;
	headers?: Record<string, string>;
	/** Unless given, any object will do. */
	reader?: ResponseReader<T>;
	/** Milliseconds one attempt may take. */
	timeoutMs?: number;
	/** Unix milliseconds after which no attempt begins. A read that is under way ends then, too. */
	until?: number;
	/** Asked before each attempt, as long as none may have been carried out: why it must not be sent any more. */
	veto?: () => GatewayError | undefined;
	/** There is one attempt only: whoever asks has another way. */
	isOnce?: true;
	/** The user's stop does not end an attempt that is under way: its answer tells what was made. */
	outlivesStop?: true;
}
