import type { JsonObject } from '../../nodes/gateway/json';
import { textAdapters } from '../../nodes/gateway/text';
import type { TextAdapter } from '../../nodes/gateway/text/adapter';
import { completeText } from '../../nodes/gateway/text/complete';
import { createBody, createVirtualGateway, ok } from './virtualGateway';

type Steps = Parameters<typeof createBody>[1];
type Streaming = 'chat' | 'respond' | 'message';

export const SILENCE_MS = 30_000;
/** Before an answer begins. */
export const TIMEOUT_MS = 600_000;
export const toEvent = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

interface StreamCase {
	pieces: string[];
	/** The last event of an answer; some connections stay open behind it. */
	end: string;
	reply: JsonObject;
}

/** The answer `Hello` of each endpoint that streams, in pieces and whole. */
export const STREAM_CASES: Record<Streaming, StreamCase> = {
	chat: {
		pieces: [
			toEvent({ choices: [{ delta: { content: 'Hel' } }] }),
			toEvent({ choices: [{ delta: { content: 'lo' } }] }),
			toEvent({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
		],
		end: 'data: [DONE]\n\n',
		reply: { choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] },
	},
	respond: {
		pieces: [
			toEvent({ type: 'response.output_text.delta', delta: 'Hel' }),
			toEvent({ type: 'response.output_text.delta', delta: 'lo' }),
		],
		end: toEvent({
			type: 'response.completed',
			response: { status: 'completed', output: [{ type: 'message', content: 'Hello' }] },
		}),
		reply: { status: 'completed', output: [{ type: 'message', content: 'Hello' }] },
	},
	message: {
		pieces: [
			toEvent({ type: 'message_start', message: { id: 'msg_1' } }),
			toEvent({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hel' } }),
			toEvent({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'lo' } }),
		],
		end: toEvent({ type: 'message_stop' }),
		reply: { content: [{ type: 'text', text: 'Hello' }] },
	},
};
export const STREAM_ENDPOINTS = Object.keys(STREAM_CASES) as Streaming[];

export const EVENTS = 'text/event-stream';

interface Setting {
	type?: string;
	isStream?: boolean;
	signal?: AbortSignal;
}

/** Completes a text at a gateway whose body comes in these steps. */
export function completeFrom(
	endpoint: keyof typeof textAdapters,
	steps: Steps,
	{ type = EVENTS, isStream = true, signal }: Setting = {},
) {
	const bodies: ReturnType<typeof createBody>[] = [];
	const gateway = createVirtualGateway(
		() => {
			const body = createBody(gateway.clock, steps);
			bodies.push(body);
			return ok(body.stream, { 'content-type': type });
		},
		{ signal },
	);
	const heard: string[] = [];
	const startedAt = gateway.clock.now();
	const result = gateway.clock.run(
		completeText(gateway.client, textAdapters[endpoint] as TextAdapter, {
			model: 'some-model',
			body: async () => ({ model: 'some-model' }),
			isStream,
			silenceMs: SILENCE_MS,
			onText: (text) => heard.push(text),
		}),
	);
	result.catch(() => undefined);
	return { result, heard, bodies, ...gateway, elapsed: () => gateway.clock.now() - startedAt };
}
