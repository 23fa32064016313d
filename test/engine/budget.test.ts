import { modelId, NODE, PHOTO, useGateway } from '../support/gateway';

const gateway = useGateway();
/** 0.0425 USD, 21,250 quota. */
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
/** No stated price. */
const bird = { model: modelId('flx-2-pro'), prompt: 'a heron' };
const goOn = { node: { onError: 'continueRegularOutput' as const } };

describe('a maximum cost per item', () => {
	it('refuses a task that costs more, and states both amounts', async () => {
		const run = await gateway.run('image:generate', { ...kite, options: { maximumCost: 0.04 } });

		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.nodeError(NODE)).toMatchObject({
			message: 'The task is estimated at $0.0425, but Cost Limit per Item is $0.04',
			description: 'Nothing was sent. Raise the limit or ask for less.',
		});
	});

	it('sends a task that costs exactly as much', async () => {
		await gateway.run('image:generate', {
			...kite,
			additionalFields: { n: 2 },
			options: { maximumCost: 0.085 },
		});

		expect(gateway.posts()).toHaveLength(1);
	});

	it('refuses every task when it is 0', async () => {
		await gateway.run('image:generate', { ...kite, options: { maximumCost: 0 } });

		expect(gateway.posts()).toEqual([]);
	});

	it('applies to each item, also as an expression', async () => {
		const run = await gateway.run(
			'image:generate',
			{
				...kite,
				additionalFields: { n: '={{ $json.n }}' },
				options: { maximumCost: '={{ $json.most }}' },
			},
			{
				items: [
					{ n: 1, most: 0.05 },
					{ n: 3, most: 0.05 },
					{ n: 3, most: 0.2 },
				],
				...goOn,
			},
		);

		expect(run.json(NODE).map(({ status, error }) => status ?? String(error).slice(0, 21))).toEqual(
			['completed', 'The task is estimated', 'completed'],
		);
		expect(gateway.sandbox.tasks()).toHaveLength(2);
	});

	it('counts seconds, tiers and sound of a video', async () => {
		const video = {
			model: modelId('clipk-v3'),
			prompt: 'waves',
			duration: 10,
			resolution: '1080p',
			additionalFields: { audio: true },
		};
		const refused = await gateway.run('video:generate', {
			...video,
			options: { maximumCost: 1.42 },
		});
		const taken = await gateway.run('video:generate', {
			...video,
			options: { maximumCost: 1.428 },
		});

		expect(refused.error?.message).toContain('estimated at $1.428');
		expect(taken.json(NODE)).toEqual([expect.objectContaining({ cost: 714_000, cost_usd: 1.428 })]);
	});

	it('applies to a JSON body too', async () => {
		const run = await gateway.run('task:submit', {
			model: modelId('imgn-4.0'),
			parameters: { prompt: 'a kite', n: 9 },
			options: { maximumCost: 0.3 },
		});

		expect(run.error?.message).toContain('estimated at $0.3825');
		expect(gateway.posts()).toEqual([]);
	});
});

describe('an option that cannot be read', () => {
	it.each([
		[
			'maximumCost',
			'={{ "much" }}',
			'Cost Limit per Item ($) must be a number, but is the text "much"',
		],
		[
			'maximumCost',
			'={{ $json.nope }}',
			'Cost Limit per Item ($) must be a number, but is undefined',
		],
		['maximumCost', '={{ null }}', 'Cost Limit per Item ($) must be a number, but is null'],
		['maximumRunCost', '={{ "" }}', 'Cost Limit per Execution ($) must be a number, but is empty'],
		['maximumRunCost', -1, 'Cost Limit per Execution ($) must be at least 0, but is -1'],
		['dryRun', '={{ "yes" }}', 'Check Price Only must be true or false, but is the text "yes"'],
		['timeout', '={{ "soon" }}', 'Max Wait (Seconds) must be a number, but is the text "soon"'],
		['pollInterval', 0, 'Max Poll Interval (Seconds) must be at least 1, but is 0'],
	])('sends nothing: %s of %p', async (name, value, message) => {
		const run = await gateway.run('image:generate', { ...kite, options: { [name]: value } });

		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.error?.message).toBe(message);
	});

	it('is read from text that is a number or a switch', async () => {
		const run = await gateway.run('image:generate', {
			...kite,
			options: {
				maximumCost: '={{ "0.05" }}',
				dryRun: '={{ "true" }}',
				simplify: '={{ "false" }}',
			},
		});

		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.json(NODE)).toEqual([expect.objectContaining({ dry_run: true })]);
	});

	it('sends no polls either', async () => {
		const run = await gateway.run('task:await', {
			taskId: 'task_1',
			options: { timeout: '={{ "soon" }}' },
		});

		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.error?.message).toBe('Max Wait (Seconds) must be a number, but is the text "soon"');
	});
});

describe('a maximum cost per run', () => {
	it('is spent in the order of the items', async () => {
		const run = await gateway.run(
			'image:generate',
			{ ...kite, additionalFields: { n: '={{ $json.n }}' }, options: { maximumRunCost: 0.15 } },
			{
				items: [{ n: 1 }, { n: 3 }, { n: 2 }, { n: 1 }],
				...goOn,
			},
		);

		expect(run.json(NODE).map(({ status, error }) => status ?? error)).toEqual([
			'completed',
			'The task is estimated at $0.1275 on top of $0.0425 spent or planned by this node in this execution, but Cost Limit per Execution is $0.15',
			'completed',
			'The task is estimated at $0.0425 on top of $0.1275 spent or planned by this node in this execution, but Cost Limit per Execution is $0.15',
		]);
		expect(
			gateway.sandbox
				.tasks()
				.map(({ held }) => held)
				.sort(),
		).toEqual([21_250, 42_500]);
	});

	it('sends no item when the node stops on errors', async () => {
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { maximumRunCost: 0.1 } },
			{ items: [{}, {}, {}] },
		);

		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.nodeError(NODE)).toMatchObject({ context: { itemIndex: 2 } });
	});

	it('is not spent by an item that is refused for another reason', async () => {
		const run = await gateway.run(
			'image:generate',
			{ ...kite, prompt: '={{ $json.what }}', options: { maximumRunCost: 0.05 } },
			{
				items: [{ what: '' }, { what: 'a kite' }],
				...goOn,
			},
		);

		expect(run.json(NODE)[1]).toMatchObject({ status: 'completed' });
	});

	it('counts items once that share a task by their key', async () => {
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { maximumRunCost: 0.0425, idempotencyKey: 'cover' } },
			{ items: [{}, {}] },
		);

		expect(run.error).toBeUndefined();
		expect(run.json(NODE)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
		expect(gateway.sandbox.tasks()).toHaveLength(1);
	});

	it('counts what an earlier try of the node has paid', async () => {
		let polls = 0;
		gateway.sandbox.faults.injection = ({ method }) =>
			method === 'GET' && (polls += 1) === 1 ? { kind: { status: 401 } } : undefined;
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { maximumRunCost: 0.05, pollInterval: 1 } },
			// After so long, the task is known to be of an earlier request.
			{ node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 5_000 } },
		);

		expect(gateway.sandbox.tasks()).toHaveLength(1);
		const { generationGatewayBudget } = run.run.data.executionData!.contextData['node:Gateway']!;
		expect(Object.values(generationGatewayBudget as object)).toEqual([
			[21_250, expect.any(String), expect.any(Number), gateway.sandbox.tasks()[0]!.task_id],
		]);
	});

	it('does not grow rounding errors over many items', async () => {
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { maximumRunCost: 0.2125 } },
			{ items: Array.from({ length: 5 }, () => ({})) },
		);

		expect(run.error).toBeUndefined();
		expect(gateway.posts()).toHaveLength(5);
	});
});

describe('a task without a stated price', () => {
	it.each(['maximumCost', 'maximumRunCost', 'maximumDailyCost'])(
		'is not sent under %s',
		async (maximum) => {
			const run = await gateway.run('image:generate', { ...bird, options: { [maximum]: 5 } });

			expect(gateway.posts()).toEqual([]);
			expect(run.error?.message).toMatch(
				/^The price of this task is not known, so the cost limit cannot be kept \(flx-2-pro: /,
			);
		},
	);

	it('is sent when the user says so', async () => {
		await gateway.run('image:generate', {
			...bird,
			options: { maximumCost: 5, unknownPrice: 'send' },
		});

		expect(gateway.posts()).toHaveLength(1);
	});

	it.each(['maximumRunCost', 'maximumDailyCost'])(
		'takes nothing of %s from the others when it is cancelled, since it holds more',
		async (limit) => {
			// flx-2-max costs 0.06 USD and is cancelled before it ends, flx-2-pro 0.03 USD.
			gateway.sandbox.settings.taskMs = ({ model }) => (model === 'flx-2-max' ? Infinity : 10);
			const rows = ['flx-2-max', 'flx-2-pro', 'flx-2-max'].map((model) => ({ json: { model } }));
			const run = await gateway.run(
				'image:generate',
				{
					...bird,
					model: modelId('={{ $json.model }}'),
					options: { [limit]: 0.05, unknownPrice: 'send', output: 'links' },
				},
				{ items: rows, node: { onError: 'continueRegularOutput' } },
			);

			expect(run.json(NODE)).toMatchObject([
				{ details: { code: 'hold_above_limit', billed: 0 } },
				{ status: 'completed', cost_usd: 0.03 },
				{ details: { code: 'hold_above_limit', billed: 0 } },
			]);
		},
	);

	it('is sent when there is no maximum', async () => {
		await gateway.run('image:generate', bird);

		expect(gateway.posts()).toHaveLength(1);
	});

	it('may be of a priced model at a resolution without a stated price', async () => {
		const clip = {
			model: modelId('clipk-v3-omni'),
			parameters: {
				prompt: 'waves',
				resolution: '4K',
				action: 'reference_video',
				video_urls: [PHOTO],
			},
		};
		const run = await gateway.run('task:submit', { ...clip, options: { maximumCost: 50 } });

		expect(run.error?.message).toContain('No price is stated for this combination at 4K');
	});
});

describe('estimate, hold and settlement', () => {
	it.each([
		['gmn-3-pro-image-preview', 'image', { additionalFields: { n: 3 } }],
		['qwn-image-2.0-pro', 'image', {}],
		['gx-imagine-1.0-video', 'video', {}],
		['clipk-v2.6', 'video', { resolution: '1080p', additionalFields: { audio: true } }],
		['clipk-v3', 'video', { resolution: '4K', duration: 3 }],
	] as const)('agree for %s to a unit of quota', async (model, medium, more) => {
		const parameters = { model: modelId(model), prompt: 'a kite', ...more };
		const [dryRun] = (
			await gateway.run(`${medium}:generate`, { ...parameters, options: { dryRun: true } })
		).json(NODE);
		const [settled] = (await gateway.run(`${medium}:generate`, parameters)).json(NODE);

		expect(Math.abs(Number(dryRun?.estimated_cost) - Number(settled?.cost))).toBeLessThanOrEqual(1);
		expect(gateway.sandbox.tasks()[0]?.held).toBe(settled?.cost);
	});
});
