import type { GatewayClient } from '../client';
import type { FormUpload } from '../request';
import type { JsonObject } from '../context';
import { isObject } from '../json';

/** Speech to text in its own language, or in English: spec section 2.5. */
export type AudioTask = 'transcribe' | 'translate';

type Transcript = JsonObject & { text: string };

const PATHS: Record<AudioTask, string> = {
	transcribe: '/v1/audio/transcriptions',
	translate: '/v1/audio/translations',
};
/** 15 minutes: long recordings on a slow line. */
const TIMEOUT_MS = 900_000;

/** The text is the whole body with `response_format` text, srt or vtt, and a field otherwise. */
function readTranscript(body: unknown, headers: Record<string, unknown>): Transcript | undefined {
	if (typeof body === 'string') {
		const isText = body.trim() && !body.trimStart().startsWith('<');
		return isText && !/json/i.test(String(headers['content-type'])) ? { text: body } : undefined;
	}
	const { text } = (body ?? {}) as { text?: unknown };
	return typeof text === 'string' ? { ...(body as JsonObject), text } : undefined;
}

/** The response: `{ text }` and whatever else the gateway says. */
export async function sendAudio(
	client: GatewayClient,
	task: AudioTask,
	form: () => Promise<FormUpload>,
): Promise<Transcript> {
	const { body } = await client.request({
		kind: 'write',
		method: 'POST',
		path: PATHS[task],
		form,
		timeoutMs: TIMEOUT_MS,
		reader: { expects: 'a text', read: readTranscript },
	});
	return body;
}

/** Seconds and tokens, where the response states them; how it does is not shown (spec section 2.5). */
export function readAudioUsage({ usage, duration }: Transcript) {
	const stated = isObject(usage) ? usage : {};
	const first = (...given: unknown[]) =>
		given.find((value): value is number => typeof value === 'number' && value >= 0);
	return {
		seconds: first(stated.seconds, stated.duration, duration),
		input: first(stated.input_tokens, stated.prompt_tokens),
		output: first(stated.output_tokens, stated.completion_tokens),
	};
}
