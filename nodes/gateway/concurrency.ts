export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/** At most `most` pieces of work at once, in order of arrival. No community package can load p-limit in n8n 1.x. */
export function createLimiter(most: number): Limiter {
	const waiting: (() => void)[] = [];
	let running = 0;
	return async (work) => {
		if (running < most) running += 1;
		else await new Promise<void>((begin) => waiting.push(begin));
		try {
			return await work();
		} finally {
			const begin = waiting.shift();
			if (begin) begin();
			else running -= 1;
		}
	};
}
