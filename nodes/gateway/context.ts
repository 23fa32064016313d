/** The time and timers of the client; tests replace it with a virtual clock. */
export interface Clock {
	/** Unix milliseconds, which go forward whatever happens to the clock of the machine. */
	now(): number;
	/**
	 * Calls back after `ms` milliseconds unless the returned function is called before. Without
	 * `keepsProcess`, a process that has nothing else to do ends before.
	 */
	after(ms: number, callback: () => void, options?: { keepsProcess?: boolean }): () => void;
}

export type HttpMethod = 'GET' | 'POST' | 'DELETE';

export type JsonObject = Record<string, unknown>;

/** One HTTP request, without the credential and the address of the gateway. */
export interface HttpRequest {
	method: HttpMethod;
	/** From the version prefix on, e.g. `/v1/tasks`. */
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

/** What the client needs from its surroundings: one function that sends, time, and the user's stop. */
export interface GatewayContext {
	/**
	 * Sends one request with the credential, follows no redirect, and resolves whatever the status is.
	 * Rejects with a GatewayError when no response came.
	 */
	send(request: HttpRequest): Promise<HttpResponse>;
	clock: Clock;
	/** Aborted when the user stops the execution. */
	readonly signal?: AbortSignal;
	/** Notes one request for those who debug; never a key or a body. */
	log?(message: string, facts: JsonObject): void;
	/** The API key, which a gateway may quote in what it answers; empty when it is not known. */
	getSecret(): Promise<string>;
	/**
	 * Names the account that requests count for, by a hash of base URL and key; undefined when it is not
	 * known. Clients of one account share its limits.
	 */
	account?(): Promise<string | undefined>;
}
