export type Limiter = <T>(work: () => Promise<T>, weight?: number) => Promise<T>;

/**
 * Work of at most this weight together at once, 1 each unless said otherwise, in order of arrival. What is heavier
 * runs alone. No community package can load p-limit in n8n 1.x.
 */
export function createLimiter(most: number): Limiter {
	const waiting: { weight: number; begin: () => void }[] = [];
	let running = 0;
	const dispatch = () => {
		while (waiting.length && (!running || running + waiting[0]!.weight <= most)) {
			const { weight, begin } = waiting.shift()!;
			running += weight;
			begin();
		}
	};
	return async (work, weight = 1) => {
		await new Promise<void>((begin) => {
			waiting.push({ weight, begin });
			dispatch();
		});
		try {
			return await work();
		} finally {
			running -= weight;
			dispatch();
		}
	};
}
