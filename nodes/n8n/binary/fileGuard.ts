import type { IExecuteFunctions } from 'n8n-workflow';
import { assertRate, readStream } from '../../gateway/byteStream';
import type { ByteStream } from '../../gateway/context';
import { GatewayError } from '../../gateway/errors';
import { systemClock } from '../systemClock';
import { PieceReader } from './pieceReader';

/** A response body as Node gives it. */
export type FileStream = Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0] &
	ByteStream;

/** Media files begin with control characters, texts never do. */
const isText = (head: Buffer) => head.every((byte) => byte >= 9);
/** HTML, XML or JSON. */
const isPage = (head: Buffer) => isText(head) && /^\uFEFF?\s*[<{[]/.test(head.toString());
const REFUSALS = { texts: isText, pages: isPage, nothing: () => false };
const HEAD = 64;
/** Bytes a second. */
const LEAST_RATE = 1_000;
/** A body without an end would fill the disk, or come for ever. */
const LARGEST_FILE = 10_000_000_000;
const LONGEST_MS = 6 * 3_600_000;

const sizeError = (bytes: number, where = '', hint = 'Open its link instead.') =>
	new GatewayError('download_failed', `The file has more than ${bytes / 1_000_000} MB${where}`, {
		hint,
	});
const memoryError = (bytes: number) =>
	sizeError(
		bytes,
		', and this n8n keeps files in memory',
		'Set Output to Files to fetch it all the same, or let n8n store files on disk (N8N_DEFAULT_BINARY_DATA_MODE).',
	);

export interface FileGuardOptions {
	/** Any text where the label is that of a text, nothing where it is that of a drawing, otherwise a page. */
	refuses: 'texts' | 'pages' | 'nothing';
	/** Where the host states it. */
	size?: number;
	silenceMs: number;
	signal?: AbortSignal;
	/** Bytes, where n8n keeps files in memory. */
	longestInMemory?: number;
	isInMemory: () => Promise<boolean>;
	/** Tells an error of the host from one of n8n's storage. Returns it. */
	onError: (error: Error) => Error;
}

async function* assertFile(
	pieces: AsyncIterable<Uint8Array>,
	{ refuses, size = 0, longestInMemory = Infinity, isInMemory, onError }: FileGuardOptions,
): AsyncGenerator<Uint8Array> {
	const reader = new PieceReader(pieces);
	let limit = longestInMemory;
	const assertSize = async (bytes: number) => {
		if (bytes > limit) {
			if (await isInMemory()) throw memoryError(limit);
			limit = Infinity;
		}
		if (bytes > LARGEST_FILE) throw sizeError(LARGEST_FILE);
	};
	try {
		await assertSize(size);
		const head = await reader.peek(HEAD);
		if (!head.length) throw new Error('the file is empty');
		if (REFUSALS[refuses](head)) throw new Error('the host sent a text instead of a file');
		let bytes = 0;
		for await (const piece of reader.take(Infinity)) {
			await assertSize((bytes += piece.length));
			yield piece;
		}
	} catch (error) {
		throw onError(error as Error);
	} finally {
		await reader.close();
	}
}

/** The same bytes. Ends with an error when they stop, come too slowly, are too many or none, or are a text. */
export function guardFile(body: FileStream, limits: FileGuardOptions): AsyncIterable<Uint8Array> {
	const { silenceMs, signal } = limits;
	const getSilenceMs = () => silenceMs;
	const onSilence = (ms: number) => new Error(`no byte for ${Math.round(ms / 1000)} s`);
	const onSlow = () => new Error(`fewer than ${LEAST_RATE} bytes a second`);
	const onEnd = () => new GatewayError('download_failed', 'The file had not ended after six hours');
	const longest = { ms: LONGEST_MS, onEnd };
	const read = readStream(systemClock, body, { getSilenceMs, onSilence, longest, signal });
	return assertFile(assertRate(systemClock, read, LEAST_RATE, onSlow), limits);
}
