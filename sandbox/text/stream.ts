import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Timers } from '../timers';

/** One server-sent event; the name is left out where the endpoint has none. */
export interface Event {
	name?: string;
	data: unknown;
}

async function* lines(
	events: Iterable<Event>,
	pauseMs: number,
	timers: Timers,
): AsyncGenerator<string> {
	for (const { name, data } of events) {
		if (pauseMs > 0) await timers.pause(pauseMs);
		const text = typeof data === 'string' ? data : JSON.stringify(data);
		yield `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
	}
}

/** Sends server-sent events, `pauseMs` apart. */
export function stream(
	reply: FastifyReply,
	events: Iterable<Event>,
	pauseMs: number,
	timers: Timers,
): FastifyReply {
	return reply
		.header('content-type', 'text/event-stream; charset=utf-8')
		.header('cache-control', 'no-cache')
		.send(Readable.from(lines(events, pauseMs, timers)));
}
