import type { JsonObject } from './json';
import type { Task } from './tasks/schema';

/** Time and timers of the client. Tests replace it by a virtual clock. */
export interface Clock {
	/** Unix milliseconds. They only go forward, even when somebody sets the clock of the machine. */
	now(): number;
	/** Calls back after `ms` milliseconds; returns what cancels this. With `keepsProcess` the process waits for it. */
	after(ms: number, callback: () => void, options?: { keepsProcess?: boolean }): () => void;
}

export type HttpMethod = 'GET' | 'POST' | 'DELETE';

/** One HTTP request, without credential and host. */
export interface HttpRequest {
	method: HttpMethod;
	/** e.g. `/v1/tasks` */
	path: string;
	headers: Record<string, string>;
	query?: JsonObject;
	body?: JsonObject;
	/** A multipart body, instead of `body`. */
	form?: unknown;
	/** Milliseconds without a byte until the headers have come. */
	timeoutMs: number;
	/** Ends the request and closes its connection. */
	signal: AbortSignal;
}

/** Pieces of a body as they arrive. `destroy` closes the connection and ends the iteration. */
export type ByteStream = AsyncIterable<Uint8Array> & { destroy: (reason?: Error) => void };

export interface HttpResponse {
	status: number;
	headers: Record<string, unknown>;
	body: ByteStream;
}

/** What the client needs: a function that sends, a clock, and the user's stop. */
export interface GatewayContext {
	/** Sends one request with the credential. Follows no redirect. Rejects with a GatewayError, never because of a status. */
	send(request: HttpRequest): Promise<HttpResponse>;
	clock: Clock;
	/** Aborted when the user stops the execution. */
	readonly signal?: AbortSignal;
	/** Logs one request for debugging. Never a key or a body. */
	log?(message: string, facts: JsonObject): void;
	/** The API key, which responses may quote. Empty when it is not known. */
	getSecret(): Promise<string>;
	/** The account that requests count for: a hash of base URL and key, or undefined when it is not known. */
	account?(): Promise<string | undefined>;
	/** Called with every task that is read, cancelled or waited for in a request. Who submits one has it in the response. */
	onTask?(task: Task): void;
}
