import { render } from '../../sandbox/media';

const fromBase64 = (text: string) => Buffer.from(text, 'base64');
const insert = (file: Buffer, at: number, more: Buffer) =>
	Buffer.concat([file.subarray(0, at), more, file.subarray(at)]);

const body = { model: 'imgn-4.0', prompt: 'a kite' };
const jpeg = render(body, 0, 'jpg');
/** A segment of Exif metadata with no entries. */
const exif = Buffer.from('ffe100164578696600004d4d002a00000008000000000000', 'hex');
const mp4 = render({ ...body, duration: 1 }, 0, 'mp4');
const mdatAt = mp4.indexOf('mdat') - 4;
const longMdat = Buffer.concat([Buffer.from('000000016d64617400000000', 'hex'), Buffer.alloc(4)]);
longMdat.writeUInt32BE(mp4.length - mdatAt + 8, 12);

/** Small files of every kind that can be marked. */
export const MARKABLE: Record<string, Buffer> = {
	'a.jpg': jpeg,
	'exif.jpg': insert(jpeg, jpeg.readUInt16BE(4) + 4, exif),
	'bare.jpg': Buffer.concat([jpeg.subarray(0, 2), jpeg.subarray(jpeg.readUInt16BE(4) + 4)]),
	'a.png': render(body, 0, 'png'),
	'lossless.webp': render(body, 0, 'webp'),
	'lossy.webp': fromBase64('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'),
	'alpha.webp': fromBase64(
		'UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==',
	),
	'animated.webp': fromBase64(
		'UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA',
	),
	'a.mp4': mp4,
	'64-bit.mp4': Buffer.concat([mp4.subarray(0, mdatAt), longMdat, mp4.subarray(mdatAt + 8)]),
};

const cut = (file: Buffer, at: number, length: number) =>
	Buffer.concat([file.subarray(0, at), file.subarray(at + length)]);

/** The file without the metadata that was inserted; of a WebP, VP8X goes as well where the original had none. */
export function removeMark(name: string, marked: Buffer): Buffer {
	const find = (text: string | Buffer, before: number) => {
		expect(marked.includes(text)).toBe(true);
		return marked.indexOf(text) - before;
	};
	if (name.endsWith('jpg')) {
		const at = find('http://ns.adobe.com/xap/1.0/\0', 4);
		return cut(marked, at, 2 + marked.readUInt16BE(at + 2));
	}
	if (name.endsWith('png')) {
		const at = find('iTXtXML:com.adobe.xmp\0', 4);
		return cut(marked, at, 12 + marked.readUInt32BE(at));
	}
	if (name.endsWith('mp4')) {
		const at = find(Buffer.from('BE7ACFCB97A942E89C71999491E3AFAC', 'hex'), 8);
		return cut(marked, at, marked.readUInt32BE(at));
	}
	const at = find('XMP ', 0);
	const length = 8 + marked.readUInt32LE(at + 4) + (marked.readUInt32LE(at + 4) % 2);
	expect(marked.readUInt32LE(4)).toBe(marked.length - 8);
	expect(marked[20]! & 0x04).toBe(0x04);
	const had = /^(alpha|animated)/.test(name);
	const file = Buffer.from(cut(marked, at, length));
	file[20]! &= ~0x04;
	const original = had ? file : cut(file, 12, 18);
	original.writeUInt32LE(original.length - 8, 4);
	return original;
}

/** Reads a stream to its end. */
export async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
	const all: Uint8Array[] = [];
	for await (const piece of pieces) all.push(piece);
	return Buffer.concat(all);
}

/** A file in pieces that begin at these bytes. */
export async function* inPieces(file: Uint8Array, starts: number[] = []): AsyncGenerator<Buffer> {
	const bytes = Buffer.from(file);
	const bounds = [0, ...[...starts].sort((a, b) => a - b), bytes.length];
	for (const [index, start] of bounds.slice(0, -1).entries())
		yield bytes.subarray(start, bounds[index + 1]);
}
