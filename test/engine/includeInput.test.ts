import type { IDataObject, OnError } from 'n8n-workflow';
import { keepInput } from '../../nodes/n8n/items/includeInput';
import { file, itemsNode, linear, runWorkflow, type WorkflowJson } from '../../scripts/engine';
import { outputSchemas } from '../../scripts/schemas/outputSchemas';
import { gatewayNode, modelId, NODE, runNode, useGateway } from '../support/gateway';

const gateway = useGateway();
const talk = file('talk', 'talk.mp3', 'audio/mpeg');
const items = [
	{ row: 'r1', ratio: '1:1' },
	{ row: 'r2', ratio: '7:1' },
];
const kites = { model: modelId('imgn-4.0'), prompt: 'a kite', aspect_ratio: '={{ $json.ratio }}' };
const run = async (options: object, onError = 'continueRegularOutput') =>
	await gateway.run(
		'image:generate',
		{ ...kites, options: { output: 'links', ...options } },
		{ items, node: { onError: onError as never } },
	);

describe('Include Input Fields', () => {
	it('has each result beside its row, finished or failed', async () => {
		const [finished, failed] = (await run({ includeInput: true })).json(NODE);

		expect(finished).toMatchObject({ row: 'r1', ratio: '1:1', status: 'completed' });
		expect(failed).toMatchObject({ row: 'r2', ratio: '7:1', item_index: 1 });
		expect(failed?.error).toContain('Aspect Ratio must be');
	});

	it('is off unless set; a failed row still says which one it is', async () => {
		const [finished, failed] = (await run({})).json(NODE);

		expect(finished).not.toHaveProperty('row');
		expect(failed).not.toHaveProperty('row');
		expect(failed).toMatchObject({ item_index: 1 });
	});

	it('may be chosen for each row', async () => {
		const [first, second] = (await run({ includeInput: '={{ $json.row === "r2" }}' })).json(NODE);

		expect([first?.row, second?.row]).toEqual([undefined, 'r2']);
	});

	it('goes with texts, too', async () => {
		const node = gatewayNode('text:chat', {
			model: modelId('gp-5-mini'),
			messages: { entry: [{ role: 'user', text: 'Hello' }] },
			options: { includeInput: true },
		});
		const ran = await runNode(node, [{ row: 'r1' }], gateway.options());

		expect(ran.json(NODE)[0]).toMatchObject({ row: 'r1', text: expect.any(String) });
	});
});

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

	it.each([
		['task', outputSchemas.task!.submit!, [], { status: 'failed' }],
		['text', outputSchemas.text!.chat!, ['data', 'images', 'annotations'], {}],
	] as const)(
		'says nothing of an earlier %s that is not so of this one',
		(_kind, { properties, required }, usersOwn, more) => {
			const earlier = Object.fromEntries(Object.keys(properties!).map((name) => [name, 1]));
			const result = Object.fromEntries(required!.map((name) => [name, 2]));
			const kept = keepInput({ ...earlier, ...more, row: 'r1' }, result);

			expect(Object.keys({ ...kept, ...result }).sort()).toEqual(
				[...required!, ...usersOwn, 'row'].sort(),
			);
		},
	);

	it('keeps what another kind of result has, e.g. the price of a picture behind two texts', () => {
		const task = { task_id: 'task_1', status: 'completed', progress: 100, urls: ['a'] };
		const answer = { text: 'a', finish_reason: 'stop', usage: null };
		const item = { ...task, cost: 21_250, cost_usd: 0.0425, ...answer };

		expect(keepInput(item, answer)).toEqual(item);
		expect(keepInput(task, answer)).toEqual(task);
	});

	it('does not say of a task that it was only checked', () => {
		const check = { dry_run: true, estimated_cost: 21_250, advice: [] };
		const task = { task_id: 'task_1', status: 'completed', progress: 100 };

		expect(keepInput(check, task)).toEqual({ estimated_cost: 21_250, advice: [] });
		expect(keepInput(check, { text: 'a' })).toEqual(check);
	});

	it.each<[string, IDataObject, IDataObject]>([
		['named like a result', { urls: ['a'], data: { a: 1 }, reason: 'why', details: 'all' }, {}],
		['of tasks', { task_id: 'CU-1', status: 'complete', checked_at: 'Monday', reason: 'b' }, {}],
		['of a table', { task_id: 'a', status: 'done', progress: 1, reason: 'b', result: 'c' }, {}],
		['what another node says of its error', { message: 'x', details: { code: 'not_found' } }, {}],
		['a status, beside a failure without a task', { status: 'todo' }, { code: 'invalid_input' }],
		['a switch for Check Price Only', { dry_run: true, prompt: 'a kite' }, {}],
	])("keeps the user's own fields: %s", async (_name, fields, { code }) => {
		const failure = { error: 'x', message: 'x', details: { code, retry: false }, item_index: 0 };
		const item = { ...fields, ...(code !== undefined && failure) };
		const result = { task_id: 'task_1', status: 'completed', progress: 100 };
		const others = Object.keys(fields).filter((field) => !(field in result));

		expect(keepInput(item, result)).toMatchObject(
			Object.fromEntries(others.map((field) => [field, fields[field]])),
		);
		expect(keepInput(item, {})).toEqual(fields);
	});

	it('keeps the order of fields that both have', () => {
		const task = { task_id: 'task_1', status: 'completed', urls: [], progress: 100 };
		expect(Object.keys({ ...keepInput(task, task), ...task })).toEqual(Object.keys(task));
	});
});

describe('an input field "error", which n8n takes for a failure of the node', () => {
	const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const row = (error: unknown) => ({ json: { error } as IDataObject, binary: { data: talk } });

	it.each([
		['text:chat', { messages: { entry: [{ role: 'user', text: 'Hello' }] } }],
		['audio:transcribe', { model: modelId('asr-1') }],
		['embedding:create', { model: modelId('text-embedding-3-small'), input: 'x' }],
		['image:generate', { model: modelId('imgn-4.0'), prompt: 'a kite' }],
	] as const)('is left out, so Retry On Fail of %s repeats nothing', async (menu, parameters) => {
		const item = row('The first model was busy');
		const ran = await gateway.run(
			menu,
			{ model: modelId('gp-5-mini'), ...parameters, options: { includeInput: true } },
			{ items: [item], node },
		);
		const answered = gateway.sandbox.requests.filter(({ status = 0 }) => status < 300);
		// The same key gives the same task.
		const paid = new Set(answered.map(({ headers }, at) => headers['idempotency-key'] ?? at));

		expect(ran.status).toBe('success');
		expect(ran.json(NODE)[0]).not.toHaveProperty('error');
		expect([...paid]).toHaveLength(1);
	});
});

describe('Output', () => {
	const one = async (output?: string, download?: string) =>
		(
			await gateway.run('image:generate', {
				model: modelId('imgn-4.0'),
				prompt: 'a kite',
				options: { ...(output && { output }), ...(download && { download }) },
			})
		).items(NODE)[0]!;

	it.each([
		[undefined, undefined, 'data', true],
		['both', undefined, 'data', true],
		['files', undefined, 'data', false],
		['files', 'kite', 'kite', false],
		['links', 'kite', undefined, true],
		[undefined, 'kite', 'kite', true],
	])('%s with the field %s puts the file into %s, and has links: %s', async (...row) => {
		const [output, field, file, hasLinks] = row;
		const { json, binary } = await one(output, field);

		expect(Object.keys(binary ?? {})).toEqual(file ? [file] : []);
		expect('urls' in json).toBe(hasLinks);
		expect('expires_at' in json).toBe(hasLinks);
	});
});

describe('If Already Made', () => {
	const make = async (options: object) =>
		(
			await gateway.run('image:generate', {
				model: modelId('imgn-4.0'),
				prompt: 'a kite',
				options: { output: 'links', ...options },
			})
		).json(NODE)[0]?.task_id;

	it.each([
		[{ ifAlreadyMade: 'make' }, false],
		[{ ifAlreadyMade: 'make', idempotencyKey: 'left over' }, false],
		[{ ifAlreadyMade: 'reuse' }, true],
		[{ ifAlreadyMade: 'key', idempotencyKey: 'row-1' }, true],
		[{ idempotencyKey: 'row-1' }, true],
		[{}, false],
	])('%j: a second execution has the same task: %s', async (options, isSame) => {
		const [first, second] = [await make(options), await make(options)];
		expect(first === second).toBe(isSame);
	});

	it('asks for the key before anything is sent', async () => {
		const run = await gateway.run('image:generate', {
			...kites,
			aspect_ratio: '',
			options: { ifAlreadyMade: 'key' },
		});

		expect(run.nodeError(NODE)?.message).toBe(
			'Idempotency Key is empty. Give it a value under Options, or choose something else for If Already Made',
		);
		expect(gateway.posts()).toEqual([]);
	});
});
