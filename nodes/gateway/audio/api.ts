import { write, type GatewayClient } from '../client';
import type { FormUpload } from '../request';
import { isObject, parseJson, type JsonObject } from '../json';

/** Speech to text in its own language, or in English: spec section 2.5. */
const PATHS = { transcribe: '/v1/audio/transcriptions', translate: '/v1/audio/translations' };
export type AudioTask = keyof typeof PATHS;

type Transcript = JsonObject & { text: string };

/** 15 minutes: long recordings on a slow line. */
const TIMEOUT_MS = 900_000;

/** The beginning of a web page or XML. */
const PAGE = /^\s*<([!?]|(html|head|title|body|center|div|p|h\d)(\s*>|\s+[\w-]+\s*=))/i;

/**
 * The text is the whole body with `response_format` text, srt or vtt, and a field otherwise. A text may look
 * like JSON, e.g. "2024", or be a JSON text, and is empty where nobody speaks.
 */
function readTranscript(
	body: unknown,
	headers: Record<string, unknown>,
	whole: () => string,
): Transcript | undefined {
	if (isObject(body))
		return typeof body.text === 'string' ? { ...body, text: body.text } : undefined;
	const text = whole();
	const type = String(headers['content-type'] ?? '');
	if (/^application\/json/i.test(type) && typeof body === 'string' && body !== text)
		return { text: body };
	if (/json/i.test(type)) return undefined;
	// Some transcripts begin with a mark, e.g. "<music>" or "<v Ann>".
	const isPage = /^text\/plain/i.test(type) ? PAGE : /^\s*</;
	const isSent = /^(string|number)$/.test(typeof body) && String(body).trim() !== '';
	const isText = /^text\//i.test(type) || isSent;
	return isText && !isPage.test(text) ? { text } : undefined;
}

/** The response: `{ text }` and whatever else the gateway says. */
export async function sendAudio(
	client: GatewayClient,
	task: AudioTask,
	form: () => Promise<FormUpload>,
): Promise<Transcript> {
	const reader = { expects: 'a text', read: readTranscript };
	return await write(client, PATHS[task], reader, { form, timeoutMs: TIMEOUT_MS });
}

/** Seconds and tokens, where the response states them; how it does is not shown (spec section 2.5). */
export function readAudioUsage({ usage, duration }: Transcript) {
	const stated = isObject(usage) ? usage : {};
	const first = (...given: unknown[]) =>
		given
			.map((value) => parseJson(value))
			.find((value): value is number => typeof value === 'number' && value >= 0);
	return {
		seconds: first(stated.seconds, stated.duration, duration),
		input: first(stated.input_tokens, stated.prompt_tokens),
		output: first(stated.output_tokens, stated.completion_tokens),
	};
}
