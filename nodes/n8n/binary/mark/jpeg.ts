import { HAS_XMP, IS_BROKEN, type Format } from './format';

const NAMESPACE = Buffer.from('http://ns.adobe.com/xap/1.0/\0');
const APP1 = 0xe1;
const isMetadata = (marker: number) => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;

function toSegment(packet: Buffer): Buffer {
	const head = Buffer.from([0xff, APP1, 0, 0]);
	head.writeUInt16BE(2 + NAMESPACE.length + packet.length, 2);
	return Buffer.concat([head, NAMESPACE, packet]);
}

/** An APP1 segment after the other metadata (XMP specification, part 3). */
export const jpeg: Format = {
	type: 'image/jpeg',
	matches: (head) => head.readUIntBE(0, 3) === 0xffd8ff,
	async *insert(reader, packet) {
		yield* reader.take(2);
		for (;;) {
			const head = await reader.peek(4 + NAMESPACE.length);
			if (head.length < 4 || head[0] !== 0xff || !head[1]) return IS_BROKEN;
			if (!isMetadata(head[1])) break;
			if (head[1] === APP1 && head.subarray(4).equals(NAMESPACE)) return HAS_XMP;
			const length = head.readUInt16BE(2);
			if (length < 2 || (yield* reader.take(2 + length))) return IS_BROKEN;
		}
		yield toSegment(packet);
		return undefined;
	},
};
