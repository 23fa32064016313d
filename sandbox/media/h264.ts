import { Bits } from './bits';
import type { Picture } from './picture';

/** Keeps start codes out of the payload (H.264, 7.4.1). */
function escaped(payload: Buffer): Buffer {
	const out: number[] = [];
	let zeros = 0;
	for (const byte of payload) {
		if (zeros === 2 && byte <= 3) {
			out.push(3);
			zeros = 0;
		}
		out.push(byte);
		zeros = byte === 0 ? zeros + 1 : 0;
	}
	return Buffer.from(out);
}

const unit = (type: number, bits: Bits): Buffer =>
	Buffer.concat([Buffer.from([type]), escaped(bits.put(1, 1).toBuffer())]);

/** Sequence parameters: baseline profile, level 3, one reference frame, cropped to the size. */
export function sequence(width: number, height: number): Buffer {
	const columns = Math.ceil(width / 16);
	const rows = Math.ceil(height / 16);
	const right = (columns * 16 - width) / 2;
	const bottom = (rows * 16 - height) / 2;
	const bits = new Bits('msb').put(66, 8).put(0xc0, 8).put(30, 8);
	bits.golomb(0).golomb(0).golomb(2).golomb(1).put(0, 1);
	bits
		.golomb(columns - 1)
		.golomb(rows - 1)
		.put(1, 1)
		.put(1, 1);
	if (right > 0 || bottom > 0) bits.put(1, 1).golomb(0).golomb(right).golomb(0).golomb(bottom);
	else bits.put(0, 1);
	return unit(0x67, bits.put(0, 1));
}

/** Picture parameters: CAVLC, no slice groups, defaults. */
export function parameters(): Buffer {
	const bits = new Bits('msb')
		.golomb(0)
		.golomb(0)
		.put(0, 1)
		.put(0, 1)
		.golomb(0)
		.golomb(0)
		.golomb(0);
	return unit(0x68, bits.put(0, 1).put(0, 2).golomb(0).golomb(0).golomb(0).put(0, 3));
}

interface Planes {
	luma: (x: number, y: number) => number;
	blue: (x: number, y: number) => number;
	red: (x: number, y: number) => number;
}

/** BT.601 studio range; chroma takes the top left pixel of each 2x2 block. */
function planes({ width, height, data }: Picture): Planes {
	const at = (
		x: number,
		y: number,
		weights: readonly [number, number, number],
		base: number,
	): number => {
		const pixel = (Math.min(y, height - 1) * width + Math.min(x, width - 1)) * 4;
		const [r, g, b] = [data[pixel] as number, data[pixel + 1] as number, data[pixel + 2] as number];
		return Math.round(base + weights[0] * r + weights[1] * g + weights[2] * b);
	};
	return {
		luma: (x, y) => at(x, y, [0.257, 0.504, 0.098], 16),
		blue: (x, y) => at(x * 2, y * 2, [-0.148, -0.291, 0.439], 128),
		red: (x, y) => at(x * 2, y * 2, [0.439, -0.368, -0.071], 128),
	};
}

/** One frame of raw samples (I_PCM macroblocks): no transform, playable everywhere. */
export function frame(picture: Picture, id: number): Buffer {
	const columns = Math.ceil(picture.width / 16);
	const rows = Math.ceil(picture.height / 16);
	const { luma, blue, red } = planes(picture);
	const bits = new Bits('msb')
		.golomb(0)
		.golomb(7)
		.golomb(0)
		.put(0, 4)
		.golomb(id % 2);
	bits.put(0, 2).golomb(0);
	for (let block = 0; block < columns * rows; block++) {
		const left = block % columns;
		const top = Math.floor(block / columns);
		bits.golomb(25).align();
		for (let i = 0; i < 256; i++) bits.byte(luma(left * 16 + (i % 16), top * 16 + (i >> 4)));
		for (const plane of [blue, red]) {
			for (let i = 0; i < 64; i++) bits.byte(plane(left * 8 + (i % 8), top * 8 + (i >> 3)));
		}
	}
	return unit(0x65, bits);
}
