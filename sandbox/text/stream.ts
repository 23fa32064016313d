import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Timers } from '../timers';

/** One server-sent event; the name is left out where the endpoint has none. */
export interface ServerSentEvent {
	name?: string;
	data: unknown;
}

async function* formatEvents(
	events: Iterable<ServerSentEvent>,
	delayMs: number,
	timers: Timers,
): AsyncGenerator<string> {
	for (const { name, data } of events) {
		if (delayMs > 0) await timers.delay(delayMs);
		const text = typeof data === 'string' ? data : JSON.stringify(data);
		yield `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
	}
}

/** Sends server-sent events, `pauseMs` apart. */
export function sendEvents(
	reply: FastifyReply,
	events: Iterable<ServerSentEvent>,
	delayMs: number,
	timers: Timers,
): FastifyReply {
	return reply
		.header('content-type', 'text/event-stream; charset=utf-8')
		.header('cache-control', 'no-cache')
		.send(Readable.from(formatEvents(events, delayMs, timers)));
}
