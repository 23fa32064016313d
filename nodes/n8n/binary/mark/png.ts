import { HAS_XMP, IS_BROKEN, uint32BE, type Format } from './format';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const KEYWORD = Buffer.from('XML:com.adobe.xmp\0');
/** Not compressed, without a language and a translated keyword. */
const PLAIN = Buffer.alloc(4);

const typeOf = (head: Buffer): string => head.toString('latin1', 4, 8);

/** PNG, annex D. */
function crc32(bytes: Uint8Array): number {
	let crc = 0xffffffff;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return (crc ^ 0xffffffff) >>> 0;
}

function toChunk(packet: Buffer): Buffer {
	const chunk = Buffer.concat([Buffer.from('iTXt'), KEYWORD, PLAIN, packet]);
	return Buffer.concat([uint32BE(chunk.length - 4), chunk, uint32BE(crc32(chunk))]);
}

/** An iTXt chunk before the pixels. */
export const png: Format = {
	type: 'image/png',
	matches: (head) => head.subarray(0, 8).equals(SIGNATURE),
	async *insert(reader, packet) {
		yield* reader.take(SIGNATURE.length);
		if (typeOf(await reader.peek(8)) !== 'IHDR') return IS_BROKEN;
		for (;;) {
			const head = await reader.peek(8 + KEYWORD.length);
			const type = typeOf(head);
			if (head.length < 8 || type === 'IEND') return IS_BROKEN;
			if (type === 'IDAT') break;
			if (type === 'iTXt' && head.subarray(8).equals(KEYWORD)) return HAS_XMP;
			if (yield* reader.take(12 + head.readUInt32BE(0))) return IS_BROKEN;
		}
		yield toChunk(packet);
		return undefined;
	},
};
