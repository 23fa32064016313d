import { createRandom } from '../../sandbox/random';

/**
 * Random numbers that depend on the seed and on what they are about, so that a campaign can be
 * replayed in whatever order its calls arrive.
 */
export interface SeededRandom {
	/** From 0 up to 1. */
	number(...about: (string | number)[]): number;
	/** A whole number from `least` to `most`. */
	integer(least: number, most: number, ...about: (string | number)[]): number;
	pick<T>(list: readonly T[], ...about: (string | number)[]): T;
	/** A sequence of its own, as long as needed. */
	sequence(...about: (string | number)[]): () => number;
}

/** @param seed the same seed and subject always give the same number */
export function createSeededRandom(seed: number): SeededRandom {
	const sequence = (...about: (string | number)[]) =>
		createRandom(JSON.stringify([seed, ...about]));
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
