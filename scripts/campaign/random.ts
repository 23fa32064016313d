import { createRandom, hash } from '../../sandbox/random';

/** Chance that follows from a seed and what it is about, so that a campaign can be replayed however its calls interleave. */
export interface Chance {
	/** From 0 up to 1. */
	of(...about: (string | number)[]): number;
	/** A whole number from `least` to `most`. */
	between(least: number, most: number, ...about: (string | number)[]): number;
	pick<T>(list: readonly T[], ...about: (string | number)[]): T;
	/** Dice of its own, for as many rolls as it takes. */
	roll(...about: (string | number)[]): () => number;
}

export function chanceBy(seed: number): Chance {
	const roll = (...about: (string | number)[]) => createRandom(hash(JSON.stringify([seed, ...about])));
	const of = (...about: (string | number)[]) => roll(...about)();
	const between = (least: number, most: number, ...about: (string | number)[]) =>
		least + Math.floor(of(...about) * (most - least + 1));
	return {
		of,
		between,
		roll,
		pick: (list, ...about) => list[between(0, list.length - 1, ...about)]!,
	};
}
