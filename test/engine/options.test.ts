import { executeAsTool, TOOL_CALLER } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, PHOTO, useGateway } from '../support/gateway';

const gateway = useGateway();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const keys = () => gateway.posts().map(({ headers }) => headers['idempotency-key']);

describe('a callback', () => {
	it('goes into the body with the events that were chosen', async () => {
		await gateway.run('image:generate', {
			...kite,
			options: {
				callback_url: 'http://127.0.0.1:9/hook',
				callback_events: ['completed', 'failed'],
			},
		});
		await gateway.run('task:submit', {
			model: modelId('imgn-4.0'),
			parameters: { prompt: 'a kite' },
			options: { callback_url: 'http://127.0.0.1:9/hook', callback_events: [] },
		});

		expect(gateway.bodies()).toEqual([
			{
				model: 'imgn-4.0',
				prompt: 'a kite',
				callback_url: 'http://127.0.0.1:9/hook',
				callback_events: ['completed', 'failed'],
			},
			{ model: 'imgn-4.0', prompt: 'a kite', callback_url: 'http://127.0.0.1:9/hook' },
		]);
	});

	it('takes one event that an expression gives as a text', async () => {
		await gateway.run('image:generate', {
			...kite,
			options: { callback_url: 'http://127.0.0.1:9/hook', callback_events: '={{ "completed" }}' },
		});

		expect(gateway.bodies()).toEqual([expect.objectContaining({ callback_events: ['completed'] })]);
	});
});

describe('the idempotency key', () => {
	it('is sent as the user set it, for each item', async () => {
		await gateway.run(
			'image:generate',
			{ ...kite, options: { idempotencyKey: '={{ $json.row }}' } },
			{ items: [{ row: 'row-1' }, { row: 'row-2' }] },
		);

		expect(keys().sort()).toEqual(['row-1', 'row-2']);
	});

	it('gives the same task to two executions, billed once', async () => {
		const parameters = { ...kite, options: { idempotencyKey: 'row-7' } };
		const first = await gateway.run('image:generate', parameters);
		const second = await gateway.run('image:generate', parameters);

		expect(gateway.posts()).toHaveLength(2);
		expect(gateway.sandbox.tasks()).toHaveLength(1);
		expect(second.json(NODE)[0]?.task_id).toBe(first.json(NODE)[0]?.task_id);
		expect(second.json(NODE)[0]).toMatchObject({ status: 'completed', cost: 21250 });
	});

	it('is refused for two different requests: one item would get the result of the other', async () => {
		const run = await gateway.run(
			'image:generate',
			{ ...kite, prompt: '={{ $json.what }}', options: { idempotencyKey: 'row-7' } },
			{
				items: [{ what: 'a kite' }, { what: 'a kite' }, { what: 'a quay' }],
			},
		);

		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.nodeError(NODE)).toMatchObject({
			message: 'Idempotency Key row-7 is also the key of item 0, which asks for something else',
			context: { itemIndex: 2 },
		});
	});

	it('may be shared by items with the same request', async () => {
		const run = await gateway.run(
			'image:generate',
			{ ...kite, options: { idempotencyKey: 'row-7' } },
			{ items: [{}, {}] },
		);

		expect(gateway.sandbox.tasks()).toHaveLength(1);
		expect(run.hints(NODE)[0]).toEqual({ message: '1 image, $0.0425', location: 'outputPane' });
	});

	it('is made of execution and item where the user set none: two equal items are two tasks', async () => {
		await gateway.run('image:generate', kite, { items: [{}, {}] });
		await gateway.run('image:generate', kite);

		expect(new Set(keys()).size).toBe(3);
		for (const key of keys()) expect(key).toMatch(/^n8n-[0-9a-f]{40}$/);
		expect(gateway.sandbox.tasks()).toHaveLength(3);
	});

	it('is the same when the same execution runs the node again', async () => {
		const engine = { executionId: '4711' };
		await gateway.run('image:generate', kite, { engine });
		await gateway.run('image:generate', kite, { engine });
		await gateway.run('image:generate', { ...kite, prompt: 'a quay' }, { engine });

		const [first, second, third] = keys();
		expect(second).toBe(first);
		expect(third).not.toBe(first);
		expect(gateway.sandbox.tasks()).toHaveLength(2);
	});
});

it('Max Wait is not for a row that does not wait, where Wait is an expression', async () => {
	let posts = 0;
	gateway.sandbox.faults.injection = ({ method }) =>
		method === 'POST' && (posts += 1) === 1
			? { kind: { status: 429, retryAfter: '1.5' } }
			: undefined;
	const options = { timeout: 1 };
	const run = await gateway.run('image:generate', { ...kite, wait: '={{ "none" }}', options });

	expect(run.json(NODE)).toMatchObject([{ status: 'queued' }]);
});

describe('an option whose expression fails, in the first row', () => {
	const failing = '={{ $json.row ? "key " + $json.row : $("Nope").first().json.key }}';
	const node = { onError: 'continueRegularOutput' as const };
	const items = Array.from({ length: 5 }, (_, row) => ({ row }));

	it('leaves Concurrency to all others', async () => {
		Object.assign(gateway.sandbox.settings, { concurrencyLimit: 1, apiLatencyMs: 20 });
		const options = { concurrency: 1, idempotencyKey: failing };
		await gateway.run('image:generate', { ...kite, wait: 'none', options }, { items, node });

		expect(gateway.posts()).toHaveLength(4);
	});

	it('leaves the input fields to its item', async () => {
		const options = { includeInput: true, idempotencyKey: failing };
		const run = await gateway.run('image:generate', { ...kite, options }, { items, node });

		expect(run.json(NODE)[0]).toHaveProperty('error');
		expect(run.json(NODE).map(({ row }) => row)).toEqual([0, 1, 2, 3, 4]);
	});
});

describe('concurrency', () => {
	it('sends no more requests at once than the option says', async () => {
		Object.assign(gateway.sandbox.settings, { concurrencyLimit: 2, apiLatencyMs: 20 });
		const run = await gateway.run(
			'task:submit',
			{ model: modelId('imgn-4.0'), parameters: { prompt: 'a kite' }, options: { concurrency: 2 } },
			{
				items: Array.from({ length: 9 }, () => ({})),
			},
		);

		expect(run.json(NODE)).toHaveLength(9);
		expect(gateway.sandbox.requests.map(({ status }) => status)).toEqual(Array(9).fill(200));
	});
});

describe('the hints of a run', () => {
	it('counts the tasks and their cost', async () => {
		const run = await gateway.run('image:generate', kite, { items: [{}, {}] });

		expect(run.hints(NODE)[0]).toEqual({ message: '2 images, $0.085', location: 'outputPane' });
	});

	it('states once which field has no effect, and for how many items', async () => {
		const run = await gateway.run(
			'video:generate',
			{
				model: modelId('clipk-v2.6'),
				prompt: 'waves',
				additionalFields: { audio: true },
			},
			{ items: [{}, {}, {}] },
		);

		expect(run.hints(NODE)).toContainEqual({
			message: 'All 3 items: Audio has no effect at 720p on clipk-v2.6; use 1080p',
			location: 'outputPane',
			type: 'warning',
		});
	});

	it('keeps angle brackets readable, which it would take for HTML', async () => {
		const run = await gateway.run('video:generate', {
			model: modelId('clipk-v3-omni'),
			action: 'reference',
			prompt: 'as <<<image_3>>>',
			image_urls: [PHOTO],
		});

		const [, hint] = run.hints(NODE);
		expect(hint?.message).toContain('refers to &lt;&lt;&lt;image_3>>>, but Image URLs has 1 entry');
	});
});

describe('an agent', () => {
	const LINK = "={{ $fromAI('link') }}";

	it('generates with the prompt it thought of, and reads a compact answer', async () => {
		const run = await executeAsTool(
			gatewayNode('image:generate', {
				...kite,
				prompt: "={{ $fromAI('prompt', 'What to draw', 'string') }}",
			}),
			{ prompt: 'a heron' },
			gateway.options(),
		);

		expect(gateway.bodies()).toEqual([{ model: 'imgn-4.0', prompt: 'a heron' }]);
		expect(run.json(TOOL_CALLER)).toEqual([
			expect.objectContaining({
				model: 'imgn-4.0',
				status: 'completed',
				urls: [expect.any(String)],
			}),
		]);
	});

	it.each([
		['video:generate', { model: modelId('pxv-v6'), prompt: 'go', image_urls: [LINK] }],
		['text:chat', { messages: { entry: [{ role: 'user', text: 'Hello', image_url: LINK }] } }],
	] as const)('may leave out a link: %s', async (menu, parameters) => {
		const node = gatewayNode(menu, { model: modelId('gp-5-mini'), ...parameters });
		const run = await executeAsTool(node, {}, gateway.options());

		expect(run.json(TOOL_CALLER)).toEqual([
			expect.not.objectContaining({ error: expect.anything() }),
		]);
	});

	it('fetches a task by the ID it remembers', async () => {
		const { data } = await gateway.submit({ model: 'imgn-4.0', prompt: 'a kite' });
		const run = await executeAsTool(
			gatewayNode('task:get', { taskId: "={{ $fromAI('task_id') }}" }),
			{ task_id: data.task_id },
			gateway.options(),
		);

		expect(run.json(TOOL_CALLER)).toEqual([expect.objectContaining({ task_id: data.task_id })]);
	});

	it('gets a message that names the invalid field', async () => {
		const run = await executeAsTool(
			gatewayNode('image:generate', {
				...kite,
				prompt: 'a kite',
				aspect_ratio: "={{ $fromAI('ratio') }}",
			}),
			{ ratio: '7:1' },
			gateway.options(),
		);

		expect(JSON.stringify(run.run.data.resultData)).toContain(
			'must be 1:1, 4:3, 3:4, 16:9 or 9:16, but is 7:1',
		);
		expect(gateway.posts()).toEqual([]);
	});
});
