import { createRandom, hash } from '../../sandbox/random';

/** Chance that follows from a seed and what it is about, so that a campaign can be replayed however its calls interleave. */
export interface SeededRandom {
	/** From 0 up to 1. */
	number(...about: (string | number)[]): number;
	/** A whole number from `least` to `most`. */
	integer(least: number, most: number, ...about: (string | number)[]): number;
	pick<T>(list: readonly T[], ...about: (string | number)[]): T;
	/** Dice of its own, for as many rolls as it takes. */
	sequence(...about: (string | number)[]): () => number;
}

export function createSeededRandom(seed: number): SeededRandom {
	const sequence = (...about: (string | number)[]) =>
		createRandom(hash(JSON.stringify([seed, ...about])));
	const number = (...about: (string | number)[]) => sequence(...about)();
	const integer = (least: number, most: number, ...about: (string | number)[]) =>
		least + Math.floor(number(...about) * (most - least + 1));
	return {
		number,
		integer,
		sequence,
		pick: (list, ...about) => list[integer(0, list.length - 1, ...about)]!,
	};
}
