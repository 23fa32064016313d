import { alea } from 'seedrandom';

/** A number from a text (FNV-1a with a final mix), for anything that must be the same every time. */
export function hash(text: string): number {
	let h = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
	return (h ^ (h >>> 13)) >>> 0;
}

/** Random numbers from 0 (included) to 1 (excluded), the same for the same seed. */
export const createRandom = (seed: number | string): (() => number) => alea(String(seed));
