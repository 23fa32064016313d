import { applyPalette, GIFEncoder, quantize } from 'gifenc';
import { PNG } from 'pngjs';

/** A screenshot, and how long it is shown. */
export interface Frame {
	png: Buffer;
	ms: number;
}

const MOST_COLORS = 128;

/** Screenshots of one size as a moving picture that starts again at its end. */
export function encodeGif(frames: readonly Frame[]): Uint8Array {
	const gif = GIFEncoder();
	for (const { png, ms } of frames) {
		const { data, width, height } = PNG.sync.read(png);
		const palette = quantize(data, MOST_COLORS);
		gif.writeFrame(applyPalette(data, palette), width, height, { palette, delay: ms });
	}
	gif.finish();
	return gif.bytes();
}
