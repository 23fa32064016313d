import { RateLimiter } from '../../nodes/gateway/rateLimit/limiter';
import type { GatewayRequest } from '../../nodes/gateway/request';
import type { RequestKind } from '../../nodes/gateway/retry';
import { VirtualClock } from '../support/virtualClock';
import { createVirtualGateway, ok, refusal, type VirtualGateway } from '../support/virtualGateway';

const MINUTE_MS = 60_000;

/** Rows of one run: how each of them ends. */
async function send({ client, clock }: VirtualGateway, kind: RequestKind, rows: number) {
	const timeoutMs = 60 * MINUTE_MS;
	const path = '/v1/audio/transcriptions';
	const request = { kind, method: 'POST', path, body: {}, timeoutMs } as GatewayRequest;
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

describe('a write that is late', () => {
	/** Concurrency 1 under a limit that is open or closed, with one request under way. */
	async function createFull(isOpen: boolean) {
		const clock = new VirtualClock();
		let opensAt = -Infinity;
		const limiter = new RateLimiter(clock, { opensAt: () => opensAt, start: () => () => {} });
		const acquire = limiter.join(1);
		const now = clock.now();
		const write = { kind: 'write', until: now + 1_000, notBefore: 0 } as const;
		const permit = await acquire(write);
		if (!isOpen) opensAt = Infinity;
		return { clock, acquire, write, end: () => typeof permit !== 'string' && permit(200) };
	}

	it('waits on while its client is full, and gives up once only the limit is closed', async () => {
		const { clock, acquire, write, end } = await createFull(false);
		const startedAt = clock.now();
		const late = acquire(write).then((outcome) => [outcome, clock.now() - startedAt]);
		clock.after(1_500, end);

		expect(await clock.run(late, 60_000)).toEqual(['late', 2_000]);
	});

	it('starts when its client has a place', async () => {
		const { clock, acquire, write, end } = await createFull(true);
		clock.after(30_500, end);

		expect(await clock.run(acquire(write), 60_000)).toEqual(expect.any(Function));
	});

	it('gives up in time when it was refused before', async () => {
		const { clock, acquire, write } = await createFull(true);
		const startedAt = clock.now();
		const late = acquire({ ...write, notBefore: startedAt + 100 });

		expect(await clock.run(late, 60_000)).toBe('late');
		expect(clock.now() - startedAt).toBe(1_000);
	});
});
