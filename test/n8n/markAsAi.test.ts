import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { markFileAsAi } from '../../nodes/n8n/binary/mark/markAsAi';
import { collect, inPieces, MARKABLE, removeMark } from '../support/mediaFiles';

const task = {
	taskId: 'task_01h8',
	model: 'imgn-4.0',
	createdAt: '2026-11-24T03:00:00.000Z',
	completedAt: '2026-11-24T03:00:05.000Z',
};
const files = Object.entries(MARKABLE);
const file = (name: string) => MARKABLE[name]!;

/** Marks a file that comes in pieces; gives the result, and why it was not marked. */
async function mark(bytes: Uint8Array, starts: number[] = [], size?: number, details = task) {
	const reasons: string[] = [];
	const onUnmarked = (reason: string) => void reasons.push(reason);
	const marked = await collect(
		markFileAsAi(inPieces(bytes, starts), details, { size, onUnmarked }),
	);
	return { marked, reasons };
}

/** The file as it came, and one reason. */
async function assertUnchanged(bytes: Buffer, reason: string) {
	const { marked, reasons } = await mark(bytes);
	expect(marked.equals(bytes)).toBe(true);
	expect(reasons).toEqual([reason]);
}

const box = (type: string, content: Buffer, length = 8 + content.length) => {
	const head = Buffer.alloc(8);
	head.writeUInt32BE(length);
	head.write(type, 4, 'latin1');
	return Buffer.concat([head, content]);
};

describe.each(files)('the mark of %s', (name, original) => {
	it('adds metadata and changes nothing else', async () => {
		const { marked, reasons } = await mark(original);

		expect(reasons).toEqual([]);
		expect(marked.length).toBeGreaterThan(original.length);
		expect(removeMark(name, marked).equals(original)).toBe(true);
	});

	it('is the same wherever the first bytes are split', async () => {
		const { marked } = await mark(original);
		const head = Math.min(original.length - 1, 80);

		for (let start = 0; start <= head; start += 1)
			expect((await mark(original, [start])).marked.equals(marked)).toBe(true);
		const single = Array.from({ length: head }, (_, at) => at);
		expect((await mark(original, single)).marked.equals(marked)).toBe(true);
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.nat({ max: original.length }), { maxLength: 12 }),
				async (starts) => (await mark(original, starts)).marked.equals(marked),
			),
			{ numRuns: 30 },
		);
	});

	it('is not written a second time', async () => {
		const { marked } = await mark(original);

		await assertUnchanged(marked, 'it has XMP metadata already');
	});

	it('is left out of a file that ends before it, which stays as it came', async () => {
		const lengths = fc.nat({ max: original.length - 1 });
		await fc.assert(
			fc.asyncProperty(lengths, async (length) => {
				const part = original.subarray(0, length);
				const { marked, reasons } = await mark(part, [], length);
				const isUnchanged = reasons.length === 1 && marked.equals(part);
				expect(isUnchanged || removeMark(name, marked).equals(part)).toBe(true);
			}),
			{ numRuns: 60 },
		);
	});
});

it('decodes to the same pixels', async () => {
	const [png, jpg] = [file('a.png'), file('a.jpg')];

	const pixels = PNG.sync.read((await mark(png)).marked);
	expect(pixels.data.equals(PNG.sync.read(png).data)).toBe(true);
	const picture = jpeg.decode((await mark(jpg)).marked);
	expect(picture.data.equals(jpeg.decode(jpg).data)).toBe(true);
});

it('comes behind JFIF and Exif, before the pixels of a PNG, and at the end of the others', async () => {
	const before = async (name: string, text: string) => {
		const { marked } = await mark(file(name));
		return marked.subarray(0, marked.indexOf(text)).toString('latin1');
	};

	expect(await before('exif.jpg', 'http://')).toContain('Exif');
	expect(await before('a.png', 'iTXt')).toMatch(/IHDR/);
	expect(await before('a.png', 'iTXt')).not.toMatch(/IDAT/);
	expect(await before('a.mp4', 'uuid')).toContain('mdat');
	const { marked } = await mark(file('lossless.webp'));
	expect(marked.toString('latin1', 12, 16)).toBe('VP8X');
	// 320 x 320, less one each, without alpha.
	expect(marked.subarray(20, 30).toString('hex')).toBe('040000003f01003f0100');
});

it('is a chunk of a PNG with a true checksum', async () => {
	const { marked } = await mark(file('a.png'));
	const at = marked.indexOf('iTXt');
	const end = at + 4 + marked.readUInt32BE(at - 4);

	expect(marked.readUInt32BE(end)).toBe(crc32(marked.subarray(at, end)));
});

it('keeps the alpha of a lossless WebP', async () => {
	const withAlpha = Buffer.from(file('lossless.webp'));
	withAlpha[24]! |= 0x10;

	expect((await mark(withAlpha)).marked[20]).toBe(0x14);
});

it('ends a film in fragments with its index, which is found from the end', async () => {
	const index = box('mfra', Buffer.alloc(16));
	const { marked } = await mark(Buffer.concat([file('a.mp4'), index]));

	expect(marked.subarray(-index.length).equals(index)).toBe(true);
	expect(marked.includes('uuid')).toBe(true);
});

it.each([
	['a GIF', Buffer.from('GIF89a\x01\0\x01\0\0\0\0;')],
	['an AVIF', box('ftyp', Buffer.from('avif\0\0\0\0mif1'))],
	['a few bytes', Buffer.from('ab')],
	['nothing', Buffer.alloc(0)],
])('leaves %s as it is', async (_what, bytes) => {
	await assertUnchanged(bytes, 'it is no JPEG, PNG, WebP or MP4 file');
});

it.each([
	[
		'a JPEG with a segment of no length',
		Buffer.concat([file('a.jpg').subarray(0, 4), Buffer.alloc(40)]),
	],
	[
		'a PNG without pixels',
		Buffer.concat([file('a.png').subarray(0, 33), box('IEND', Buffer.alloc(4), 0)]),
	],
	[
		'a WebP of another kind',
		Buffer.concat([Buffer.from('RIFF\x20\0\0\0WEBPVP9 '), Buffer.alloc(24)]),
	],
	[
		'an MP4 with a part too long',
		Buffer.concat([file('a.mp4'), box('free', Buffer.alloc(4), 999)]),
	],
	['an MP4 with a part too short', Buffer.concat([file('a.mp4'), box('free', Buffer.alloc(4), 7)])],
	['an MP4 with a rest', Buffer.concat([file('a.mp4'), Buffer.alloc(3)])],
])('leaves %s as it is', async (_what, bytes) => {
	await assertUnchanged(bytes, 'it is incomplete or damaged');
});

it('leaves an MP4 as it is whose last part is as long as the file', async () => {
	const open = Buffer.concat([file('a.mp4'), box('mdat', Buffer.alloc(40), 0)]);

	await assertUnchanged(open, 'its last part has no stated length');
});

it('escapes what the gateway calls a model, and cuts it', async () => {
	const model = `<rdf:li>&\0${'x'.repeat(100_000)}`;
	const { marked, reasons } = await mark(file('a.jpg'), [], undefined, { ...task, model });

	expect(reasons).toEqual([]);
	expect(marked.toString()).toContain(
		`<Iptc4xmpExt:AISystemUsed>&lt;rdf:li&gt;&amp; ${'x'.repeat(190)}</Iptc4xmpExt:AISystemUsed>`,
	);
});

describe('a long file', () => {
	const PIECE = Buffer.alloc(65_536);
	/** An MP4 of 100 MB, and how many of its bytes were read. */
	function createFilm() {
		const count = 1_600;
		const state = { read: 0, isClosed: false };
		async function* film() {
			try {
				yield Buffer.concat([
					box('ftyp', Buffer.from('isom\0\0\0\0')),
					box('mdat', Buffer.alloc(0), 8 + count * PIECE.length),
				]);
				for (let at = 0; at < count; at += 1) {
					state.read += PIECE.length;
					yield PIECE;
				}
			} finally {
				state.isClosed = true;
			}
		}
		return { state, film: film() };
	}

	it('goes through piece by piece', async () => {
		const { state, film } = createFilm();
		let written = 0;
		for await (const piece of markFileAsAi(film, task)) {
			written += piece.length;
			expect(state.read - written).toBeLessThanOrEqual(2 * PIECE.length);
		}

		expect(written).toBeGreaterThan(100_000_000);
	});

	it('is closed when nobody reads on', async () => {
		const { state, film } = createFilm();
		for await (const piece of markFileAsAi(film, task)) if (piece.length > 1000) break;

		expect(state.isClosed).toBe(true);
		expect(state.read).toBeLessThan(1_000_000);
	});
});
