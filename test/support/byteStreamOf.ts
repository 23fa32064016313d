import type { ByteStream } from '../../nodes/gateway/context';

/** The body of a response as it comes over HTTP: JSON, or the text as it is. A body that comes in pieces stays as it is. */
export function byteStreamOf(body: unknown): ByteStream {
	if (isByteStream(body)) return body;
	const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
	async function* pieces(): AsyncGenerator<Uint8Array> {
		yield new TextEncoder().encode(text);
	}
	return Object.assign(pieces(), { destroy: () => undefined });
}

const isByteStream = (body: unknown): body is ByteStream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
