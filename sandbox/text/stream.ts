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
	onFirst: () => void,
): AsyncGenerator<string> {
	// Counted from the beginning: a timer that comes late delays its own chunk only.
	const startedAt = performance.now();
	let sent = 0;
	for (const { name, data } of events) {
		sent += 1;
		if (delayMs > 0) await timers.delay(startedAt + sent * delayMs - performance.now());
		if (sent === 1) onFirst();
		const text = typeof data === 'string' ? data : JSON.stringify(data);
		yield `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
	}
}

/** Sends server-sent events, `delayMs` apart. */
export function sendEvents(
	reply: FastifyReply,
	events: Iterable<ServerSentEvent>,
	delayMs: number,
	timers: Timers,
): FastifyReply {
	const { recorded } = reply.request;
	const onFirst = () => {
		if (recorded) recorded.firstEventAt = Date.now();
	};
	return reply
		.header('content-type', 'text/event-stream; charset=utf-8')
		.header('cache-control', 'no-cache')
		.send(Readable.from(formatEvents(events, delayMs, timers, onFirst)));
}
