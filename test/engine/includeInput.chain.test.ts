import type { IDataObject, OnError } from 'n8n-workflow';
import { itemsNode, linear, runWorkflow, type WorkflowJson } from '../../scripts/engine';
import { gatewayNode, modelId, useGateway } from '../support/gateway';

const gateway = useGateway();

describe('Include Input Fields behind another node of this package', () => {
	const generate = (options: object, more: object = {}) =>
		gatewayNode(
			'image:generate',
			{ model: modelId('imgn-4.0'), prompt: 'a kite', options: { output: 'links', ...options } },
			{ name: 'Generate', ...more },
		);
	const failed = {
		row: 'r1',
		error: 'The task failed: policy',
		message: 'Run it again for a new task, or change the request.',
		details: { code: 'task_failed', retry: true, billed: 0, task_id: 'task_old' },
		item_index: 0,
		task_id: 'task_old',
		status: 'failed',
	};
	const runChain = async (first: IDataObject, ...nodes: ReturnType<typeof gatewayNode>[]) =>
		await runWorkflow(linear(itemsNode([first]), ...nodes), gateway.options());

	/** Generates, and again at most five times while the item has the code of a failed task. */
	function createLoop(options: object): WorkflowJson {
		const value = {
			conditions: {
				options: { caseSensitive: true, typeValidation: 'loose', version: 2 },
				combinator: 'and',
				conditions: [
					{
						id: 'a',
						leftValue: "={{ $json.details?.code === 'task_failed' && $runIndex < 5 }}",
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
				],
			},
		};
		const json = linear(
			itemsNode([{ row: 'r1' }]),
			generate(options, { onError: 'continueRegularOutput' }),
			{ name: 'If', type: 'n8n-nodes-base.if', typeVersion: 2.2, parameters: value },
		);
		const again = [[{ node: 'Generate', type: 'main' as const, index: 0 }], []];
		return { ...json, connections: { ...json.connections, If: { main: again } } };
	}

	it.each([{}, { includeInput: true }])(
		'lets a loop that repeats failed rows end when the row is made: %j',
		async (options) => {
			let tries = 0;
			gateway.sandbox.settings.fail = () => ((tries += 1) === 1 ? 'failed' : undefined);
			const run = await runWorkflow(createLoop(options), gateway.options());

			expect(run.error).toBeUndefined();
			// One that failed, and one that is paid.
			expect(gateway.sandbox.tasks()).toHaveLength(2);
		},
	);

	it('has a row that a second try has made among the results of a contact sheet', async () => {
		const sheet = gatewayNode('task:contactSheet', {}, { name: 'Sheet' });
		const run = await runChain(failed, generate({ includeInput: true }), sheet);

		const [item] = run.json('Generate');
		expect(item).toMatchObject({ row: 'r1', status: 'completed' });
		expect(item).not.toHaveProperty('details');
		expect(item).not.toHaveProperty('error');
		expect(run.json('Sheet')).toMatchObject([{ results: 1, failures: 0 }]);
	});

	it('names no task of the failure before', async () => {
		const again = generate(
			{ includeInput: true, maximumCost: 0.001 },
			{ onError: 'continueRegularOutput' },
		);
		const [item] = (await runChain(failed, again)).json('Generate');

		expect(item).toMatchObject({ row: 'r1', details: { code: 'cost_limit_exceeded' } });
		expect(item).not.toHaveProperty('task_id');
		expect(item).not.toHaveProperty('status');
	});

	const FAILING = {
		// At the submission.
		refused: () => {
			gateway.sandbox.faults.injection = ({ body }) =>
				(body as IDataObject)?.model === 'pxv-v6' ? { kind: { status: 402 } } : undefined;
		},
		failed: () => {
			gateway.sandbox.settings.fail = ({ model }) => (model === 'pxv-v6' ? 'failed' : undefined);
		},
	};
	it.each(
		(['refused', 'failed'] as const).flatMap((how) =>
			(['video:generate', 'task:submit'] as const).flatMap((menu) => [
				{ menu, how, includeInput: true, onError: 'continueRegularOutput' as const },
				{ menu, how, includeInput: true, onError: 'continueErrorOutput' as const },
				{ menu, how, includeInput: false, onError: 'continueErrorOutput' as const },
			]),
		),
	)(
		'does not say of a video that it is the picture before it: $menu $how, $includeInput, $onError',
		async ({ menu, how, includeInput, onError }) => {
			FAILING[how]();
			const video = gatewayNode(
				menu,
				{
					model: modelId('pxv-v6'),
					prompt: 'go',
					image_urls: ['={{ $json.urls[0] }}'],
					parameters: { prompt: 'go' },
					wait: 'poll',
					options: { output: 'links', includeInput },
				},
				{ name: 'Video', onError },
			);
			const run = await runChain({ row: 'r1' }, generate({ includeInput: true }), video);
			const [picture] = run.json('Generate');
			const [item] = run.items('Video', onError === 'continueErrorOutput' ? 1 : 0);
			const failure = gateway.sandbox.tasks().find(({ model }) => model === 'pxv-v6');

			expect(item!.json).toMatchObject({
				row: 'r1',
				// For another try.
				urls: picture!.urls,
				error: expect.any(String),
				task_id: how === 'failed' ? failure!.task_id : picture!.task_id,
				status: how === 'failed' ? 'failed' : null,
				cost: 0,
				cost_usd: 0,
			});
		},
	);

	const PAID = { cost: 21_250, cost_usd: 0.0425 };
	const IN_TABLES: IDataObject[] = [
		{ task_id: 'task_old', status: 'completed', ...PAID },
		{ task_id: 'task_old', status: 'SUCCESS', urls: ['a'], ...PAID },
		{ task_id: 'task_old', status: 'processing', progress: 40, ...PAID },
		{ status: 'completed', ...PAID },
		{ ...failed, ...PAID },
	];
	const refuse = async (row: IDataObject, onError: OnError, includeInput: boolean) => {
		const node = generate({ includeInput, maximumCost: 0.001 }, { onError });
		const run = await runChain({ ...row, row: 'r1' }, node);
		return run.items('Generate', onError === 'continueErrorOutput' ? 1 : 0)[0]!.json;
	};
	it.each(
		IN_TABLES.flatMap((row) => [
			['continueRegularOutput', true, row] as const,
			['continueErrorOutput', true, row] as const,
			['continueErrorOutput', false, row] as const,
		]),
	)(
		'does not say of a refused row what it says of its last one: %s, %s, %j',
		async (onError, includeInput, row) => {
			const item = await refuse(row, onError, includeInput);

			expect(item).toMatchObject({ row: 'r1', details: { code: 'cost_limit_exceeded' } });
			expect(item.status ?? null).toBeNull();
			expect(item).toMatchObject({ cost: 0, cost_usd: 0 });
		},
	);

	it.each([true, false])(
		'leaves a refused row the columns of the user, with Include Input Fields %s',
		async (includeInput) => {
			for (const row of [
				{ status: 'approved', cost: 12.5, task_id: 'T-17' },
				{ status: 'todo', cost: 12.5, cost_usd: 12.5 },
				{ status: 'completed', cost: 12.5, order: 1 },
			])
				expect(await refuse(row, 'continueErrorOutput', includeInput)).toMatchObject(row);
		},
	);

	it('says nothing of an earlier result that a table keeps without its progress', async () => {
		const row = {
			...{ row: 'r1', task_id: 'task_old', status: 'FAILED', reason: 'Not possible' },
			...{ reused: true, fallback_from: 'imgn-3.0', file_urls: ['a'] },
		};
		const [item] = (await runChain(row, generate({ includeInput: true }))).json('Generate');

		expect(item).toMatchObject({ row: 'r1', status: 'completed' });
		for (const name of ['reason', 'reused', 'fallback_from', 'file_urls'])
			expect(item).not.toHaveProperty(name);
	});

	it('says nothing of an earlier failure whose details a table keeps as text', async () => {
		const stored = { ...failed, details: JSON.stringify(failed.details) };
		const [item] = (await runChain(stored, generate({ includeInput: true }))).json('Generate');

		expect(item).toMatchObject({ row: 'r1', status: 'completed' });
		for (const name of ['error', 'message', 'details', 'item_index'])
			expect(item).not.toHaveProperty(name);
	});

	it('has the files of its row on the error output, so that it can be sent again', async () => {
		FAILING.refused();
		const video = gatewayNode(
			'video:generate',
			{ model: modelId('pxv-v6'), prompt: 'go', options: { output: 'links' } },
			{ name: 'Video', onError: 'continueErrorOutput' },
		);
		const run = await runChain({}, generate({ output: 'files' }), video);

		expect(run.items('Video', 1)[0]!.binary).toEqual(run.items('Generate')[0]!.binary);
	});

	it.each(['refused', 'failed'] as const)(
		'shows a video that is %s without the picture before it on a contact sheet',
		async (how) => {
			FAILING[how]();
			const video = gatewayNode(
				'video:generate',
				{ model: modelId('pxv-v6'), prompt: 'go', options: { includeInput: true } },
				{ name: 'Video', onError: 'continueRegularOutput' },
			);
			const sheet = gatewayNode('task:contactSheet', {}, { name: 'Sheet' });
			const run = await runChain({}, generate({ includeInput: true }), video, sheet);
			const [{ html, ...facts }] = run.json('Sheet') as [{ html: string }];

			expect(facts).toEqual({ results: 0, failures: 1, cost_usd: 0 });
			expect(html).not.toMatch(/<img|imgn-4\.0/);
		},
	);

	it('loses no paid task that Task > Await cannot be asked for', async () => {
		const node = gatewayNode(
			'task:await',
			{ taskId: '={{ $json.task_id }}', options: { linkDays: 'x', includeInput: true } },
			{ name: 'Await', onError: 'continueErrorOutput' },
		);
		const run = await runChain({}, generate({}), node);
		const [picture] = run.json('Generate');

		expect(run.items('Await', 1)[0]!.json).toMatchObject({
			...picture,
			error: expect.stringContaining('Lasting Links'),
		});
	});

	it('keeps the task of a picture whose description fails', async () => {
		gateway.sandbox.faults.injection = ({ body }) =>
			(body as IDataObject)?.model === 'gp-5-mini' ? { kind: { status: 402 } } : undefined;
		const describe = gatewayNode(
			'text:chat',
			{
				model: modelId('gp-5-mini'),
				messages: { entry: [{ role: 'user', text: 'What is this?' }] },
				options: { includeInput: true },
			},
			{ name: 'Describe', onError: 'continueRegularOutput' },
		);
		const sheet = gatewayNode('task:contactSheet', {}, { name: 'Sheet' });
		const run = await runChain({ row: 'r1' }, generate({ includeInput: true }), describe, sheet);

		expect(run.json('Describe')[0]).toMatchObject({
			...run.json('Generate')[0],
			error: expect.any(String),
		});
		expect(run.json('Sheet')).toMatchObject([
			{ failures: 1, cost_usd: 0.0425, html: expect.stringContaining('<img') },
		]);
	});
});
