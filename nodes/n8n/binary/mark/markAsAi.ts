import type { Format } from './format';
import { jpeg } from './jpeg';
import { mp4 } from './mp4';
import { PieceReader } from '../pieceReader';
import { png } from './png';
import { webp } from './webp';
import { createXmpPacket, type AiDetails } from './xmpPacket';

const FORMATS: readonly Format[] = [jpeg, png, webp, mp4];
/** Bytes that tell the format. */
const MAGIC = 12;

/** By the first bytes of the file. */
export async function findFormat(reader: PieceReader): Promise<Format | undefined> {
	const head = await reader.peek(MAGIC);
	return head.length === MAGIC ? FORMATS.find(({ matches }) => matches(head)) : undefined;
}

/**
 * The same file with metadata that says it was made by AI; pieces are passed on as they come. `size`: where
 * the host states it. `onUnmarked` is called at the end with the reason; the bytes are unchanged then.
 */
export async function* markFileAsAi(
	pieces: AsyncIterable<Uint8Array>,
	details: AiDetails,
	{ size, onUnmarked }: { size?: number; onUnmarked?: (reason: string) => void } = {},
): AsyncGenerator<Uint8Array> {
	const reader = new PieceReader(pieces);
	try {
		const format = await findFormat(reader);
		const reason = format
			? yield* format.insert(reader, createXmpPacket(details), size)
			: 'it is no JPEG, PNG, WebP or MP4 file';
		yield* reader.take(Infinity);
		if (reason) onUnmarked?.(reason);
	} finally {
		await reader.close();
	}
}
