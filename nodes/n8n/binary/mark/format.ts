import type { PieceReader } from '../pieceReader';

/** A file format that can hold an XMP packet. */
export interface Format {
	/** Media type. */
	type: string;
	/** Whether a file that begins with these 12 bytes is of this format. */
	matches: (head: Buffer) => boolean;
	/**
	 * Passes on the file up to the packet, and the packet. The caller passes on the rest. Returns why there is
	 * no packet. The bytes are unchanged then, except in a WebP that ends early and whose size is not stated.
	 * @param size bytes of the file, where the host states them
	 */
	insert: (
		reader: PieceReader,
		packet: Buffer,
		size?: number,
	) => AsyncGenerator<Uint8Array, string | undefined>;
}

export const IS_BROKEN = 'it is incomplete or damaged';
/** Readers use one packet only. */
export const HAS_XMP = 'it has XMP metadata already';

export function uint32BE(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

export const uint32LE = (value: number): Buffer => uint32BE(value).reverse();
