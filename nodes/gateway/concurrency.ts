/** Does work when a place is free. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Lets at most `most` pieces of work run at once, the others in order of arrival. n8n 1.x has no
 * library for this that a community package can load, see docs/decisions.
 */
export function createLimiter(most: number): Limiter {
	const waiting: (() => void)[] = [];
	let running = 0;
	const next = () => {
		running -= 1;
		waiting.shift()?.();
	};
	return async (work) => {
		if (running >= most) await new Promise<void>((begin) => waiting.push(begin));
		running += 1;
		try {
			return await work();
		} finally {
			next();
		}
	};
}
