import type { PieceReader } from './pieceReader';

/** A kind of file that can hold an XMP packet. */
export interface Format {
	/** Whether a file that begins with these 12 bytes is of this kind. */
	matches: (head: Buffer) => boolean;
	/**
	 * Passes the file on up to the place of the packet, and the packet. The caller passes on the rest.
	 * Returns why there is no packet, where the bytes were passed on unchanged.
	 *
	 * @param size bytes of the file, where the host states them
	 */
	insert: (
		reader: PieceReader,
		packet: Buffer,
		size?: number,
	) => AsyncGenerator<Uint8Array, string | undefined>;
}

export const IS_BROKEN = 'it is incomplete or damaged';
/** Readers use one packet of a file, so that a second one would hide the first or be hidden by it. */
export const HAS_XMP = 'it has XMP metadata already';

/** The bytes of integers, the highest byte first. */
export function uint32BE(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

/** The same, the lowest byte first. */
export const uint32LE = (value: number): Buffer => uint32BE(value).reverse();
