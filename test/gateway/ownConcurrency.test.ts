import type { RequestKind } from '../../nodes/gateway/retry';
import { createVirtualGateway, ok, refusal, type VirtualGateway } from '../support/virtualGateway';

const MINUTE_MS = 60_000;

/** Rows of one run: how each of them ends. */
async function send({ client, clock }: VirtualGateway, kind: RequestKind, rows: number) {
	const timeoutMs = 60 * MINUTE_MS;
	const path = '/v1/audio/transcriptions';
	const request = { kind, method: 'POST', path, body: {}, timeoutMs } as const;
	const all = Array.from({ length: rows }, async () => await client.request(request));
	const outcomes = all.map(async (each) =>
		each.then(
			() => 'sent',
			({ code }: { code: string }) => code,
		),
	);
	return await clock.run(Promise.all(outcomes), 24 * 60 * MINUTE_MS);
}

describe('requests that only the Concurrency of their own node holds back', () => {
	it.each([
		[1, 60],
		[7, 400],
		[100, 5_000],
	])('at %d at once are all sent, however long %d of them take', async (concurrency, rows) => {
		const gateway: VirtualGateway = createVirtualGateway(
			async () => {
				await gateway.clock.sleep(MINUTE_MS);
				return ok({});
			},
			{ concurrency },
		);

		const outcomes = await send(gateway, 'write', rows);

		expect(outcomes.filter((outcome) => outcome !== 'sent')).toEqual([]);
		expect(gateway.requests).toHaveLength(rows);
	});

	it('wait for a limit from their first attempt on, as long as others', async () => {
		let openAt = Infinity;
		const gateway: VirtualGateway = createVirtualGateway(
			async (_, index) => {
				const { clock } = gateway;
				if (index > 0) return clock.now() < openAt ? refusal(429) : ok({});
				await clock.sleep(30 * MINUTE_MS);
				openAt = clock.now() + 15 * MINUTE_MS;
				return ok({});
			},
			{ concurrency: 1 },
		);

		expect(await send(gateway, 'write', 2)).toEqual(['sent', 'sent']);
	});

	it('give up at their own Max Wait where they are submissions, which have one', async () => {
		const gateway: VirtualGateway = createVirtualGateway(
			async () => {
				await gateway.clock.sleep(MINUTE_MS);
				return ok({});
			},
			{ concurrency: 1 },
		);

		const outcomes = await send(gateway, 'submit', 60);

		expect(outcomes.at(-1)).toBe('rate_limited');
		expect(gateway.requests.length).toBeLessThan(25);
	});
});

it('requests that a limit holds back for good give up', async () => {
	const gateway = createVirtualGateway(() => refusal(429), { concurrency: 5 });

	const outcomes = await send(gateway, 'write', 40);

	expect(new Set(outcomes)).toEqual(new Set(['rate_limited']));
});
