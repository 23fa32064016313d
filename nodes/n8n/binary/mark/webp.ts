import { HAS_XMP, IS_BROKEN, uint32LE, type Format } from './format';

/** The headers of the file and of its first chunk, with the size of the picture. */
const HEAD = 30;
const [HAS_ALPHA_FLAG, XMP_FLAG] = [0x10, 0x04];

/** The size of a picture without VP8X. Undefined where there is none. */
function readCanvas(type: string, content: Buffer) {
	if (type === 'VP8L' && content[0] === 0x2f) {
		const bits = content.readUInt32LE(1);
		const width = (bits & 0x3fff) + 1;
		const height = ((bits >>> 14) & 0x3fff) + 1;
		return { width, height, hasAlpha: (bits & 0x10000000) !== 0 };
	}
	if (type !== 'VP8 ' || content.readUIntBE(3, 3) !== 0x9d012a) return undefined;
	const [width, height] = [6, 8].map((at) => content.readUInt16LE(at) & 0x3fff) as [number, number];
	return width && height ? { width, height, hasAlpha: false } : undefined;
}

function toChunk(type: string, content: Buffer): Buffer {
	const padding = Buffer.alloc(content.length % 2);
	return Buffer.concat([Buffer.from(type), uint32LE(content.length), content, padding]);
}

type Canvas = NonNullable<ReturnType<typeof readCanvas>>;

function createVp8x({ width, height, hasAlpha }: Canvas): Buffer {
	const content = Buffer.alloc(10);
	content[0] = XMP_FLAG | (hasAlpha ? HAS_ALPHA_FLAG : 0);
	content.writeUIntLE(width - 1, 4, 3);
	content.writeUIntLE(height - 1, 7, 3);
	return toChunk('VP8X', content);
}

/**
 * A chunk at the end, announced in VP8X at the start (RFC 9649, section 2.7). The start has been sent when
 * the end comes, so a file that ends early without a stated size still announces it.
 */
export const webp: Format = {
	type: 'image/webp',
	matches: (head) =>
		head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP',
	async *insert(reader, packet, size = Infinity) {
		const head = await reader.peek(HEAD);
		if (head.length < HEAD) return IS_BROKEN;
		const type = head.toString('latin1', 12, 16);
		const [riffSize, chunkSize] = [head.readUInt32LE(4), head.readUInt32LE(16)];
		const end = 8 + riffSize;
		if (riffSize % 2 || size < end || 20 + chunkSize > end) return IS_BROKEN;
		const isExtended = type === 'VP8X';
		const flags = head[20]!;
		if (isExtended && flags & XMP_FLAG) return HAS_XMP;
		const canvas = isExtended ? undefined : readCanvas(type, head.subarray(20));
		if (!isExtended && !canvas) return IS_BROKEN;
		const vp8x = canvas ? createVp8x(canvas) : Buffer.alloc(0);
		const xmp = toChunk('XMP ', packet);
		const newSize = riffSize + vp8x.length + xmp.length;
		if (newSize > 0xfffffffe) return 'it is too large';

		const before = Buffer.from(await reader.read(isExtended ? 21 : 12));
		before.writeUInt32LE(newSize, 4);
		if (isExtended) before[20] = flags | XMP_FLAG;
		yield Buffer.concat([before, vp8x]);
		if (yield* reader.take(end - before.length)) return IS_BROKEN;
		yield xmp;
		return undefined;
	},
};
