import { createLimiter } from '../../nodes/gateway/concurrency';

/** Work that ends when it is told to, and says when it has begun. */
function held(log: string[], name: string) {
	let end: () => void = () => undefined;
	const done = new Promise<void>((resolve) => (end = resolve));
	const work = async () => {
		log.push(name);
		await done;
		return name;
	};
	return { work, end };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('begins no more than the limit, and the next in order when one ends', async () => {
	const log: string[] = [];
	const limit = createLimiter<string>(2);
	const works = ['a', 'b', 'c', 'd'].map((name) => held(log, name));
	const ends = works.map(({ work }) => limit(work));
	await turn();
	expect(log).toEqual(['a', 'b']);
	works[1]!.end();
	await turn();
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
		await turn();
		throw new Error('later');
	});
	const fine = limit(async () => 'fine');
	await expect(sudden).rejects.toThrow('at once');
	await expect(late).rejects.toThrow('later');
	await expect(fine).resolves.toBe('fine');
	await expect(limit(async () => 'still')).resolves.toBe('still');
});

it('lets fewer begin once work is refused, and just as many as were accepted', async () => {
	const log: string[] = [];
	const limit = createLimiter<string>(20, (name) => name.startsWith('refused'));
	const works = Array.from({ length: 40 }, (_, index) =>
		held(log, index >= 10 && index < 20 ? `refused ${index}` : String(index)),
	);
	const ends = works.map(({ work }) => limit(work));
	await turn();
	expect(log).toHaveLength(20);
	for (const { end } of works.slice(10, 20)) end();
	await turn();
	expect(log).toHaveLength(20);
	works[0]!.end();
	await turn();
	expect(log).toHaveLength(21);
	for (const { end } of works) end();
	await Promise.all(ends);
});

it('goes on with one at a time when all work is refused', async () => {
	const limit = createLimiter<string>(3, () => true);
	await expect(
		Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => limit(async () => name))),
	).resolves.toHaveLength(5);
});

it('takes half of the places for one refusal, though only one is in use', async () => {
	const log: string[] = [];
	const limit = createLimiter<string>(8, (name) => name === 'refused');
	const long = held(log, 'long');
	const ends = [limit(long.work), limit(async () => 'refused')];
	await ends[1];
	const works = Array.from({ length: 8 }, (_, index) => held(log, String(index)));
	ends.push(...works.map(({ work }) => limit(work)));
	await turn();
	expect(log).toEqual(['long', '0', '1', '2']);
	long.end();
	for (const { end } of works) end();
	await Promise.all(ends);
});

it('notices a quiet time while long work holds every place', async () => {
	const log: string[] = [];
	const limit = createLimiter<string>(2, (name) => name === 'refused');
	const [long, next] = [held(log, 'long'), held(log, 'next')];
	const ends = [limit(long.work), limit(async () => 'refused')];
	await ends[1];
	ends.push(limit(next.work));
	while (!log.includes('next')) await new Promise((resolve) => setTimeout(resolve, 100));
	expect(log).toEqual(['long', 'next']);
	long.end();
	next.end();
	await Promise.all(ends);
});

it('tries more again after a quiet time', async () => {
	const log: string[] = [];
	const limit = createLimiter<string>(8, (name) => name === 'refused');
	await Promise.all(Array.from({ length: 4 }, () => limit(async () => 'refused')));
	const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
	const works = Array.from({ length: 8 }, (_, index) => held(log, String(index)));
	const ends = works.map(({ work }) => limit(work));
	await turn();
	clock.mockRestore();
	expect(log.length).toBeGreaterThan(1);
	for (const { end } of works) end();
	await Promise.all(ends);
});
