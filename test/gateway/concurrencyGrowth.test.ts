import { ConcurrencyGrowth } from '../../nodes/gateway/concurrencyGrowth';
import { createVirtualGateway, ok, refusal } from '../support/virtualGateway';

const RANGE = { concurrency: 20, mostConcurrency: 100 };
const LATENCY_MS = 1_000;
const request = { kind: 'submit', method: 'POST', path: '/v1/tasks', body: {} } as const;

/** The most requests that were under way at once, of so many that are answered with these statuses in turn. */
async function findMost(
	count: number,
	statuses: number[],
	range: { concurrency: number; mostConcurrency?: number },
) {
	let [underWay, most] = [0, 0];
	const gateway = createVirtualGateway(async (_, index) => {
		most = Math.max(most, (underWay += 1));
		await gateway.clock.sleep(LATENCY_MS);
		underWay -= 1;
		const status = statuses[index] ?? 200;
		return status === 200 ? ok({}) : refusal(status);
	}, range);
	const all = Array.from({ length: count }, () => gateway.client.request(request));
	await gateway.clock.run(Promise.allSettled(all));
	return most;
}

it('has as many requests under way at once as it may grow to, where many wait', async () => {
	expect(await findMost(1_000, [], RANGE)).toBe(100);
});

it('keeps to what the user has set', async () => {
	expect(await findMost(1_000, [], { concurrency: 20 })).toBe(20);
});

it('does not grow where none waits', async () => {
	expect(await findMost(20, [], RANGE)).toBe(20);
});

it.each([400, 404])('grows on after %d, which says nothing of the load', (status) => {
	const growth = new ConcurrencyGrowth(RANGE);
	growth.note(status, true);

	expect(growth.current).toBe(21);
});

it.each([500, 502, 503, 504, undefined])(
	'is what it was at first, for good, after %s',
	(status) => {
		const growth = new ConcurrencyGrowth(RANGE);
		for (let count = 0; count < 30; count += 1) growth.note(200, true);
		expect(growth.current).toBe(50);
		growth.note(status, true);
		for (let count = 0; count < 30; count += 1) growth.note(200, true);

		expect(growth.current).toBe(20);
	},
);

it('does not grow any more after a refusal, whose limit is learnt', () => {
	const growth = new ConcurrencyGrowth(RANGE);
	growth.note(200, true);
	growth.note(429, true);
	growth.note(200, true);

	expect(growth.current).toBe(21);
});
