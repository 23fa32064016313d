import { Bits } from './bits';
import type { Picture } from './picture';

const reversed = Array.from({ length: 256 }, (_, value) => {
	let out = 0;
	for (let i = 0; i < 8; i++) out |= ((value >> i) & 1) << (7 - i);
	return out;
});

/** A prefix code in which each of the first 256 symbols has 8 bits, and the others none. */
function plainCode(bits: Bits, symbols: number): void {
	bits.put(0, 1);
	// Lengths are written with two symbols only, 0 and 8, one bit each: order 17, 18, 0, 1, 2 … 8.
	const order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8];
	bits.put(order.length - 4, 4);
	for (const symbol of order) bits.put(symbol === 0 || symbol === 8 ? 1 : 0, 3);
	bits.put(0, 1);
	for (let symbol = 0; symbol < symbols; symbol++) bits.put(symbol < 256 ? 1 : 0, 1);
}

/** A prefix code with one symbol, which then takes no bits. */
function constantCode(bits: Bits, symbol: number): void {
	bits.put(1, 1).put(0, 1).put(1, 1).put(symbol, 8);
}

/** Lossless WebP without compression: small code, honest bytes. */
export function createWebp({ width, height, data }: Picture): Buffer {
	const bits = new Bits('lsb');
	bits
		.put(0x2f, 8)
		.put(width - 1, 14)
		.put(height - 1, 14)
		.put(0, 1)
		.put(0, 3);
	bits.put(0, 1).put(0, 1).put(0, 1);
	plainCode(bits, 280);
	plainCode(bits, 256);
	plainCode(bits, 256);
	constantCode(bits, 255);
	constantCode(bits, 0);
	for (let at = 0; at < data.length; at += 4) {
		for (const channel of [1, 0, 2]) bits.put(reversed[data[at + channel] as number] as number, 8);
	}
	const stream = bits.toBuffer();
	const padded = stream.length % 2 === 0 ? stream : Buffer.concat([stream, Buffer.alloc(1)]);
	const head = Buffer.alloc(20);
	head.write('RIFF', 0);
	head.writeUInt32LE(12 + padded.length, 4);
	head.write('WEBPVP8L', 8);
	head.writeUInt32LE(stream.length, 16);
	return Buffer.concat([head, padded]);
}
