import type { IExecuteFunctions } from 'n8n-workflow';
import { assertRate, readStream } from '../../gateway/byteStream';
import type { ByteStream } from '../../gateway/context';
import { GatewayError } from '../../gateway/errors';
import { systemClock } from '../systemClock';

/** A response body as Node gives it. */
export type FileStream = Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0] &
	ByteStream;

/** Of a web page or an error. The first bytes tell. */
export const isTextType = (type = ''): boolean =>
	/^(text\/|application\/(problem\+)?json)/i.test(type);
/** Media files begin with control characters, texts never do. */
const isBinary = (piece: Uint8Array) => piece.subarray(0, 64).some((byte) => byte < 9);
/** Bytes a second. */
const LEAST_RATE = 1_000;

export const tooLargeError = (most: number): GatewayError =>
	new GatewayError(
		'download_failed',
		`The file has more than ${most / 1_000_000} MB, and this n8n keeps files in memory`,
		{
			hint: 'Set Output to Files to fetch it all the same, or let n8n store files on disk (N8N_DEFAULT_BINARY_DATA_MODE).',
		},
	);

interface FileLimits {
	silenceMs: number;
	signal?: AbortSignal;
	/** Bytes at most. */
	most: number;
	/** The content type, where it is that of a text. */
	textLabel?: string;
}

async function* assertFile(
	pieces: AsyncIterable<Uint8Array>,
	{ most, textLabel }: FileLimits,
): AsyncGenerator<Uint8Array> {
	let bytes = 0;
	for await (const piece of pieces) {
		if (!bytes && textLabel && !isBinary(piece))
			throw new Error(`the host sent ${textLabel} instead of a file`);
		bytes += piece.length;
		if (bytes > most) throw tooLargeError(most);
		yield piece;
	}
	if (!bytes) throw new Error('the file is empty');
}

/** The same bytes. Ends with an error when they stop, come too slowly, are too many or none, or are a text. */
export function guardFile(body: FileStream, limits: FileLimits): AsyncIterable<Uint8Array> {
	const { silenceMs, signal } = limits;
	const onSilence = () => new Error(`no byte for ${Math.round(silenceMs / 1000)} s`);
	const onSlow = () => new Error(`fewer than ${LEAST_RATE} bytes a second`);
	const read = readStream(systemClock, body, { silenceMs, onSilence, signal });
	return assertFile(assertRate(systemClock, read, LEAST_RATE, onSlow), limits);
}
