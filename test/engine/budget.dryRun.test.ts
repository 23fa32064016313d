import { modelId, NODE, useGateway } from '../support/gateway';

const gateway = useGateway();
/** 0.0425 USD, 21,250 quota. */
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
/** No stated price. */
const bird = { model: modelId('flx-2-pro'), prompt: 'a heron' };

describe('a dry run', () => {
	it('sends nothing and shows the body and the estimate', async () => {
		const run = await gateway.run('image:generate', {
			...kite,
			additionalFields: { n: 2 },
			options: { dryRun: true, callback_url: 'https://example.com/hook', download: 'data' },
		});

		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.json(NODE)).toEqual([
			{
				dry_run: true,
				body: {
					model: 'imgn-4.0',
					prompt: 'a kite',
					n: 2,
					callback_url: 'https://example.com/hook',
				},
				estimated_cost: 42_500,
				estimated_cost_usd: 0.085,
				advice: [],
			},
		]);
		expect(run.hints(NODE).map(({ message }) => message)).toEqual([
			'1 item: $0.085. Nothing was sent',
		]);
	});

	it('shows no signature of a link that works', async () => {
		const options = { dryRun: true, callbackExecution: true };
		const run = await gateway.run('image:generate', { ...kite, wait: 'none', options });

		const [{ body }] = run.json(NODE) as [{ body: { callback_url: string } }];
		expect(new URL(body.callback_url).searchParams.get('signature')).toBe('…');
	});

	it('shows how a task without a stated price is billed, and its warnings', async () => {
		const run = await gateway.run('image:generate', {
			...bird,
			resolution: '={{ "9mp" }}',
			options: { dryRun: true },
		});

		expect(run.json(NODE)).toEqual([
			{
				dry_run: true,
				body: { model: 'flx-2-pro', prompt: 'a heron', resolution: '9mp' },
				estimated_cost: null,
				estimated_cost_usd: null,
				price: expect.stringContaining('tier of the resolution'),
				advice: [
					'Resolution should be 1mp, 2mp, 3mp or 4mp, but is 9mp. It is billed at the price of 2mp',
				],
			},
		]);
	});

	it.each([
		['maximumRunCost', 'Cost Limit per Execution'],
		['maximumDailyCost', 'Cost Limit per Day'],
	])('says that its rows together pass a limit that each keeps, under %s', async (name, label) => {
		const runThree = async (options: object) =>
			await gateway.run(
				'image:generate',
				{ ...kite, options: { [name]: 0.1, ...options } },
				{ items: [{}, {}, {}] },
			);
		const words = `With the items before it, the total would pass ${label} ($0.10), so it would not be sent`;
		for (const checked of [
			await runThree({ dryRun: true }),
			// Another execution counts anew.
			await runThree({ dryRun: true }),
		]) {
			expect(checked.json(NODE).map(({ advice }) => advice)).toEqual([[], [], [words]]);
			expect(checked.hints(NODE).map(({ message }) => message)).toContain(`Item 2: ${words}`);
		}
		expect(gateway.sandbox.requests).toEqual([]);
		expect((await runThree({})).error?.message).toContain(label);
	});

	it('says so in the last try, too', async () => {
		const options = { maximumRunCost: 0.1, maximumCost: '={{ $json.limit }}', dryRun: true };
		const items = [{ limit: 0.01 }, { limit: 1 }, { limit: 1 }, { limit: 1 }];
		const node = {
			onError: 'continueRegularOutput' as const,
			retryOnFail: true,
			waitBetweenTries: 1,
		};
		const run = await gateway.run('image:generate', { ...kite, options }, { items, node });

		expect(run.json(NODE)[3]!.advice).toEqual([
			expect.stringContaining('Cost Limit per Execution'),
		]);
	});

	it('counts no task twice that the day has counted', async () => {
		const runAll = async (keys: string[], options: object) =>
			await gateway.run(
				'image:generate',
				{
					...kite,
					options: { maximumDailyCost: 0.13, idempotencyKey: '={{ $json.k }}', ...options },
				},
				{ items: keys.map((k) => ({ k })) },
			);
		await runAll(['day-a', 'day-b'], {});
		const checked = await runAll(['day-a', 'day-b', 'day-c'], { dryRun: true });

		expect(checked.json(NODE).map(({ advice }) => advice)).toEqual([[], [], []]);
	});

	it('counts rows with one key once', async () => {
		const options = { maximumRunCost: 0.0425, idempotencyKey: 'row-1', dryRun: true };
		const run = await gateway.run('image:generate', { ...kite, options }, { items: [{}, {}] });

		expect(run.json(NODE).map(({ advice }) => advice)).toEqual([[], []]);
	});

	it('finds what would be refused when sent', async () => {
		const run = await gateway.run('image:generate', {
			...kite,
			aspect_ratio: '={{ "7:1" }}',
			options: { dryRun: true },
		});

		expect(run.error?.message).toContain('but is 7:1');
	});
});
