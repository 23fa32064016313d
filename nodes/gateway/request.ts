import type { HttpMethod, JsonObject } from './context';
import type { RequestKind } from './retry';

/** A multipart body for one try. */
export interface FormUpload {
	data: unknown;
	/** To be called when the try is over: a request that did not come about leaves its file half read. */
	close: () => void;
}

export interface GatewayRequest {
	kind: RequestKind;
	method: HttpMethod;
	/** From the version prefix on, e.g. `/v1/tasks`. */
	path: string;
	/** Made when it is sent, where it holds files. */
	body?: JsonObject | (() => Promise<JsonObject>);
	/** A multipart body, made anew for each try because a try uses it up. */
	form?: () => Promise<FormUpload>;
	query?: JsonObject;
	headers?: Record<string, string>;
	/** Any body will do: what a success answers is not shown in the spec. */
	acceptsAnyBody?: true;
	/** Milliseconds one try may take. */
	timeoutMs?: number;
	/** Unix milliseconds after which it is not tried again. */
	until?: number;
}
