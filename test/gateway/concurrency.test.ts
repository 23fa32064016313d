import { createLimiter } from '../../nodes/gateway/concurrency';

/** Work that ends when `end` is called, and notes when it has begun. */
function createWork(log: string[], name: string) {
	let end: () => void = () => undefined;
	const done = new Promise<string>((resolve) => (end = () => resolve(name)));
	const work = () => {
		log.push(name);
		return done;
	};
	return { work, end, done };
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve));

it('begins no more than the limit, and the next in order when one ends', async () => {
	const log: string[] = [];
	const limit = createLimiter(2);
	const works = ['a', 'b', 'c', 'd'].map((name) => createWork(log, name));
	const ends = works.map(({ work }) => limit(work));
	await nextTick();
	expect(log).toEqual(['a', 'b']);
	works[1]!.end();
	await nextTick();
	expect(log).toEqual(['a', 'b', 'c']);
	works.forEach(({ end }) => end());
	expect(await Promise.all(ends)).toEqual(['a', 'b', 'c', 'd']);
});

it('gives the place of work that throws to the next, at once or later', async () => {
	const limit = createLimiter(1);
	const sudden = limit(() => {
		throw new Error('at once');
	});
	const late = limit(async () => {
		await nextTick();
		throw new Error('later');
	});
	const fine = limit(async () => 'fine');
	await expect(sudden).rejects.toThrow('at once');
	await expect(late).rejects.toThrow('later');
	await expect(fine).resolves.toBe('fine');
	await expect(limit(async () => 'still')).resolves.toBe('still');
});

it('never runs more than the limit, whatever ends in between', async () => {
	const limit = createLimiter(4);
	let [running, most] = [0, 0];
	const work = async () => {
		most = Math.max(most, (running += 1));
		await nextTick();
		running -= 1;
	};
	await Promise.all(Array.from({ length: 50 }, () => limit(work)));

	expect([running, most]).toEqual([0, 4]);
});

it('gives a place to the one that waits, not to one that comes just then', async () => {
	const log: string[] = [];
	const limit = createLimiter(1);
	const [first, second, third] = ['a', 'b', 'c'].map((name) => createWork(log, name));
	const ends = [limit(first!.work), limit(second!.work)];
	const newcomer = first!.done.then(() => limit(third!.work));
	first!.end();
	await nextTick();
	expect(log).toEqual(['a', 'b']);
	[second, third].forEach((work) => work!.end());
	await Promise.all([...ends, newcomer]);
	expect(log).toEqual(['a', 'b', 'c']);
});

it('counts work by its weight, and lets what is heavier than the limit run alone', async () => {
	const log: string[] = [];
	const limit = createLimiter(10);
	const weights = { a: 6, b: 4, c: 1, d: 50, e: 1 };
	const works = Object.keys(weights).map((name) => createWork(log, name));
	const ends = works.map(({ work }, at) => limit(work, Object.values(weights)[at]));
	await nextTick();
	expect(log).toEqual(['a', 'b']);
	works[1]!.end();
	await nextTick();
	expect(log).toEqual(['a', 'b', 'c']);
	works[0]!.end();
	await nextTick();
	expect(log).toEqual(['a', 'b', 'c']);
	works[2]!.end();
	await nextTick();
	expect(log).toEqual(['a', 'b', 'c', 'd']);
	works.forEach(({ end }) => end());
	expect(await Promise.all(ends)).toEqual(Object.keys(weights));
});
