import type { GatewayRequest } from '../../nodes/gateway/request';
import { catchError } from '../support/gatewayClient';
import { createVirtualGateway, ok, refusal } from '../support/virtualGateway';

const submission: GatewayRequest = { kind: 'submit', method: 'POST', path: '/v1/tasks', body: {} };
const outliving: GatewayRequest = { ...submission, outlivesStop: true };
const ANSWER_MS = 1_000;
const STOP_MS = 500;

/** Sends requests that are answered so after a second, and stops the execution after half of it. */
async function stopDuring(request: GatewayRequest, statuses: (number | 'lost')[], count = 1) {
	const user = new AbortController();
	const gateway = createVirtualGateway(
		async (_, index) => {
			await gateway.clock.sleep(ANSWER_MS);
			const status = statuses[Math.min(index, statuses.length - 1)];
			if (status === 'lost') throw new Error('socket hang up');
			return status === 200 ? ok({ task_id: 'task_1' }) : refusal(status!);
		},
		{ signal: user.signal, concurrency: 1 },
	);
	const startedAt = gateway.clock.now();
	gateway.clock.after(STOP_MS, () => user.abort());
	const ends = Array.from({ length: count }, async () => {
		const end = await gateway.client.request(request).then(
			({ body }) => ({ body }),
			({ code, details }: { code: string; details: object }) => ({ code, ...details }),
		);
		return { ...end, ms: gateway.clock.now() - startedAt };
	});
	const all = await gateway.clock.run(Promise.all(ends));
	return { all, requests: gateway.requests };
}

describe('a stop by the user', () => {
	it('ends all requests that wait or are under way at once, and sends none of them', async () => {
		const { all, requests } = await stopDuring(submission, [200], 5);

		expect(requests).toHaveLength(1);
		expect(requests[0]!.signal.aborted).toBe(true);
		const [sent, ...unsent] = all;
		expect(sent).toMatchObject({ code: 'stopped', ms: STOP_MS, may_have_executed: true });
		expect(sent).not.toHaveProperty('billed', 0);
		for (const end of unsent)
			expect(end).toMatchObject({ code: 'stopped', ms: STOP_MS, billed: 0 });
	});

	it('waits for the answer to a request that outlives it', async () => {
		const { all, requests } = await stopDuring(outliving, [200], 5);

		expect(requests.map(({ signal }) => signal.aborted)).toEqual([false]);
		const [sent, ...unsent] = all;
		expect(sent).toEqual({ body: { task_id: 'task_1' }, ms: ANSWER_MS });
		for (const end of unsent)
			expect(end).toMatchObject({ code: 'stopped', ms: STOP_MS, billed: 0 });
	});

	it.each(['lost', 500, 409] as const)('does not repeat one that ends with %p', async (status) => {
		const { all, requests } = await stopDuring(outliving, [status]);

		expect(requests).toHaveLength(1);
		expect(all[0]).toMatchObject({ code: 'stopped', ms: ANSWER_MS, may_have_executed: true });
		expect((all[0] as { billed?: number }).billed).toBeUndefined();
	});

	it.each([429, 400])('knows that one is not billed that ends with %d', async (status) => {
		const { all, requests } = await stopDuring(outliving, [status]);

		expect(requests).toHaveLength(1);
		expect(all[0]).toMatchObject({ code: 'stopped', ms: ANSWER_MS, billed: 0 });
		expect(all[0]).not.toHaveProperty('may_have_executed');
	});

	it('ends a delay at once, and remembers the lost reply before it', async () => {
		const user = new AbortController();
		const gateway = createVirtualGateway(
			(_, index) => {
				if (index === 0) throw new Error('socket hang up');
				return refusal(429, 'Too many', { 'retry-after': '60' });
			},
			{ signal: user.signal },
		);
		gateway.clock.after(5_000, () => user.abort());
		const startedAt = gateway.clock.now();
		const error = await gateway.clock.run(catchError(gateway.client.request(outliving)));

		expect(error).toMatchObject({ code: 'stopped', details: { may_have_executed: true } });
		expect(error.details.billed).toBeUndefined();
		expect(gateway.clock.now() - startedAt).toBe(5_000);
		expect(gateway.requests).toHaveLength(2);
	});

	it('sends nothing that is asked for after it', async () => {
		const user = new AbortController();
		user.abort();
		const gateway = createVirtualGateway(() => ok({}), { signal: user.signal });
		const error = await gateway.clock.run(catchError(gateway.client.request(outliving)));

		expect(error).toMatchObject({ code: 'stopped', details: { billed: 0 } });
		expect(gateway.requests).toHaveLength(0);
	});
});
