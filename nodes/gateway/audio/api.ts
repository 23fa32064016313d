import type { GatewayClient } from '../client';
import type { FormUpload } from '../request';
import type { JsonObject } from '../context';
import { readErrorBody } from '../errorBody';
import { GatewayError } from '../errors';

/** Speech to text in its own language, or in English: spec section 2.5. */
export type AudioTask = 'transcribe' | 'translate';

const PATHS: Record<AudioTask, string> = {
	transcribe: '/v1/audio/transcriptions',
	translate: '/v1/audio/translations',
};
/** A quarter of an hour: long recordings on a slow line. */
const TIMEOUT_MS = 900_000;

/** What came back: `{ text }` with whatever the gateway says beside it. */
export async function sendAudio(
	client: GatewayClient,
	task: AudioTask,
	form: () => Promise<FormUpload>,
): Promise<JsonObject & { text: string }> {
	const { body } = await client.request({
		kind: 'write',
		method: 'POST',
		path: PATHS[task],
		form,
		timeoutMs: TIMEOUT_MS,
		acceptsAnyBody: true,
	});
	// With `response_format` text, srt or vtt the text is the whole body.
	if (typeof body === 'string' && body.trim() && !body.trimStart().startsWith('<'))
		return { text: body };
	const { text } = (body ?? {}) as { text?: unknown };
	if (typeof text === 'string') return { ...(body as JsonObject), text };
	const { message } = typeof body === 'object' ? readErrorBody(body) : {};
	throw new GatewayError(
		'unreadable_response',
		`The gateway answered without a text${message ? `: ${message}` : ''}`,
	);
}
