import type { FastifyRequest } from 'fastify';

export interface RecordedRequest {
	method: string;
	/** Without the query. */
	path: string;
	query: Record<string, unknown>;
	headers: Record<string, string | string[] | undefined>;
	/** The parsed JSON body; absent for other content. */
	body?: unknown;
	/** Unix milliseconds of arrival. */
	at: number;
	/** Unix milliseconds at which the first event of a streamed reply was sent. */
	firstEventAt?: number;
	/** Status of the reply; absent while or when there was none. */
	status?: number;
	/** The name of the injected fault, if any. */
	fault?: string;
}

export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

export const record = (request: FastifyRequest, at: number): RecordedRequest => ({
	method: request.method,
	path: pathOf(request),
	query: request.query as Record<string, unknown>,
	headers: request.headers,
	at,
});
