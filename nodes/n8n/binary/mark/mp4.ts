import { HAS_XMP, IS_BROKEN, uint32BE, type Format } from './format';

const UUID = Buffer.from('BE7ACFCB97A942E89C71999491E3AFAC', 'hex');
/** Pictures (HEIC, AVIF) and QuickTime have the same boxes, and keep XMP elsewhere. */
const BRANDS = /^(iso|mp4|avc1|M4V|dash|cmf|3g|MSNV)/;
const HEADER = 8;

/** With its header. A length of 1 is followed by 64 bits. */
const readLength = (head: Buffer): number =>
	head.readUInt32BE(0) === 1 && head.length >= 16
		? head.readUInt32BE(8) * 2 ** 32 + head.readUInt32BE(12)
		: head.readUInt32BE(0);

/** A box after all others, so that offsets stay valid (XMP specification, part 3). */
export const mp4: Format = {
	type: 'video/mp4',
	matches: (head) =>
		head.toString('latin1', 4, 8) === 'ftyp' && BRANDS.test(head.toString('latin1', 8, 12)),
	async *insert(reader, packet) {
		for (;;) {
			const head = await reader.peek(HEADER + UUID.length);
			if (!head.length) break;
			if (head.length < HEADER) return IS_BROKEN;
			const type = head.toString('latin1', 4, 8);
			// This index is found from the end of the file.
			if (type === 'mfra') break;
			if (type === 'uuid' && head.subarray(HEADER).equals(UUID)) return HAS_XMP;
			const length = readLength(head);
			if (!length) return 'its last part has no stated length';
			if (length < HEADER || (yield* reader.take(length))) return IS_BROKEN;
		}
		const content = Buffer.concat([Buffer.from('uuid'), UUID, packet]);
		yield Buffer.concat([uint32BE(4 + content.length), content]);
		return undefined;
	},
};
