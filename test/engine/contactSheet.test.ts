import type { IDataObject } from 'n8n-workflow';
import { file, itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { useInstance } from '../support/useInstance';

const gateway = useGateway();
const instance = useInstance();

const SHEET = 'Sheet';
const rows = (count: number) =>
	Array.from({ length: count }, (_, row) => ({ prompt: `kite number ${row}` }));
const sheetNode = (parameters = {}) =>
	gatewayNode('task:contactSheet', parameters, { name: SHEET });

/** Pictures of prompts from a table, then their sheet. */
const draw = async (items: object[], parameters = {}, options = {}) =>
	await instance.run(
		linear(
			itemsNode(items as never),
			gatewayNode(
				'image:generate',
				{
					model: modelId('imgn-4.0'),
					prompt: '={{ $json.prompt }}',
					options: { includeInput: true, ...options },
				},
				{ onError: 'continueRegularOutput' },
			),
			sheetNode(parameters),
		),
		gateway.options(),
	);

describe('a contact sheet', () => {
	it('shows each result with its prompt, model, price, and item, by links that last', async () => {
		const run = await draw(rows(3), { title: 'Kites', options: { linkDays: 90 } });
		const [item, ...others] = run.items(SHEET);
		const { html, ...facts } = item!.json as { html: string };
		const [link] = /(?<=<img src=")[^"]+/.exec(html)!;
		const picture = await fetch(link.replaceAll('&amp;', '&'));

		expect(others).toEqual([]);
		expect(facts).toEqual({ results: 3, failures: 0, cost_usd: 0.1275 });
		expect(item!.pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(html).toContain('<h1>Kites</h1>\n<p>3 results, 0 failures, $0.1275</p>');
		expect(html).toMatch(
			/kite number 1<small>imgn-4\.0 · \$0\.0425 · took \d+ s · item 2<\/small>/,
		);
		expect(Buffer.from(await picture.arrayBuffer())).toEqual(
			await run.binary(run.items(NODE)[0]!, 'data'),
		);
		expect((await run.binary(item!, 'data')).toString()).toBe(html);
		expect(item!.binary!.data).toMatchObject({
			fileName: 'contact-sheet.html',
			mimeType: 'text/html',
		});
	});

	it.each([
		['={{ $json.prompt }}', false, true],
		['={{ $json.prompt }}', true, false],
		['', false, false],
	])('with Caption %j and input fields (%s) says where captions come from: %s', async (...row) => {
		const [caption, includeInput, isExpected] = row;
		const run = await draw(rows(1), { caption }, { includeInput });
		const hints = run.hints(SHEET).map(({ message }) => message);

		expect(hints.join('\n').includes('add Include Input Fields')).toBe(isExpected);
	});

	it('shows failures with their code, and what they cost', async () => {
		const run = await draw([{ prompt: 'a kite' }, { prompt: '' }]);
		const [item] = run.items(SHEET);

		expect(item!.json).toMatchObject({ results: 1, failures: 1, cost_usd: 0.0425 });
		expect(item!.json.html).toContain('<p>1 result, 1 failure, $0.0425</p>');
		expect(item!.json.html).toContain('<b>invalid_input</b> Prompt is empty');
	});

	it('keeps a hundred results below 2 MB', async () => {
		const run = await draw(Array.from({ length: 100 }, () => ({ prompt: 'a kite' })));
		const [item] = run.items(SHEET);

		expect(String(item!.json.html).match(/<img/g)).toHaveLength(100);
		expect(JSON.stringify(item!.json).length).toBeLessThan(500_000);
	});

	it('takes the links of items that have no files, lasting ones first', async () => {
		const lasting = await draw(rows(1), {}, { output: 'links', linkDays: 3 });
		const passing = await draw(rows(1), {}, { output: 'links' });

		expect(lasting.json(SHEET)[0]!.html).toContain('/rest/binary-data/signed');
		expect(passing.json(SHEET)[0]!.html).toContain(`${gateway.sandbox.url}/files/`);
		const hints = [lasting, passing].map((run) => run.hints(SHEET).map(({ message }) => message));
		expect(hints).toEqual([[], [expect.stringMatching(/^The page has links of the gateway/)]]);
	});

	it.each([{}, { maximumCost: 1 }])(
		'gives a picture its own price, and not the model of a text behind it: %j',
		async (limit) => {
			const caption = gatewayNode(
				'text:chat',
				{
					model: modelId('gp-5-mini'),
					messages: { entry: [{ role: 'user', text: 'Name it' }] },
					options: { includeInput: true, ...limit, max_tokens: 9 },
				},
				{ name: 'Caption' },
			);
			const make = gatewayNode(
				'image:generate',
				{ prompt: 'a kite', options: { output: 'links' } },
				{ name: 'Generate' },
			);
			const run = await instance.run(
				linear(itemsNode(rows(2)), make, caption, sheetNode({ caption: '={{ $json.text }}' })),
				gateway.options(),
			);
			const [{ html, cost_usd: usd }] = run.json(SHEET) as [{ html: string; cost_usd: number }];

			expect(usd).toBe(run.json('Generate').length * (run.json('Generate')[0]!.cost_usd as number));
			expect(html).toContain(`<p>2 results, 0 failures, $${usd}</p>`);
			expect(html).not.toContain('gp-5-mini');

			// Another execution does not know the tasks.
			const later = await instance.run(
				linear(itemsNode(run.json('Caption')), sheetNode()),
				gateway.options(),
			);
			expect(later.json(SHEET)[0]).toMatchObject({
				cost_usd: 0,
				html: expect.stringContaining('2 results, 0 failures, $0.00, 2 of unknown price'),
			});
		},
	);

	it('says that it cannot show files that n8n keeps in memory', async () => {
		const options = { ...gateway.options(), binaryMode: 'default' as const };
		const items = [{ json: {}, binary: { data: file('a kite', 'kite.png', 'image/png') } }];
		const run = await runWorkflow(linear(itemsNode(items), sheetNode()), options);

		expect(run.hints(SHEET).map(({ message }) => message)).toEqual([
			expect.stringMatching(/^The page cannot show a file that n8n keeps in memory\./),
		]);
	});

	it.each([
		['trigger', { saveDataSuccessExecution: 'none' }, 'files', true],
		['trigger', { saveDataSuccessExecution: 'none' }, 'links', false],
		['trigger', {}, 'files', false],
		['manual', { saveDataSuccessExecution: 'none' }, 'files', true],
		['manual', { saveManualExecutions: false }, 'files', true],
		['manual', {}, 'files', false],
	] as const)(
		'of a %s execution with %j and %s says that its pictures do not stay: %s',
		async (mode, settings, output, hasHint) => {
			const make = gatewayNode('image:generate', { prompt: 'a kite', options: { output } });
			const sheet = sheetNode({ caption: '' });
			const workflow = { ...linear(itemsNode([{}]), make, sheet), settings };
			const run = await instance.run(workflow, { ...gateway.options(), mode });

			expect(run.hints(SHEET).map(({ message }) => message)).toEqual(
				hasHint
					? [
							'n8n soon deletes the files of executions that it does not save, and the pictures on the page stop working then. Let n8n save them in the settings of the workflow',
						]
					: Array(output === 'links' ? 1 : 0).fill(expect.stringMatching(/^The page has links/)),
			);
		},
	);

	it('counts a task once that several items hold', async () => {
		const task = { task_id: 'task_1', status: 'completed', model: 'imgn-4.0', cost: 21_250 };
		const run = await instance.run(
			linear(itemsNode([task, task, { ...task, task_id: 'task_2' }]), sheetNode()),
			gateway.options(),
		);

		expect(run.json(SHEET)[0]).toMatchObject({ results: 3, cost_usd: 0.085 });
	});

	it('counts a task that one of its items has without a price', async () => {
		const paid = { task_id: 'task_1', status: 'completed', model: 'imgn-4.0', cost: 21_250 };
		const queued = { ...paid, status: 'queued', cost: null };
		for (const items of [
			[paid, queued],
			[queued, paid],
		]) {
			const run = await instance.run(linear(itemsNode(items), sheetNode()), gateway.options());

			expect(run.json(SHEET)[0]).toMatchObject({ cost_usd: 0.0425 });
		}
	});

	it('is made of the others where the first item cannot be read', async () => {
		const items = [
			{ prompt: 'a', days: 'soon' },
			{ prompt: 'b', days: 3 },
		];
		const parameters = { options: { linkDays: '={{ $json.days }}' } };
		const page = { name: SHEET, onError: 'continueRegularOutput' as const };
		const node = gatewayNode('task:contactSheet', parameters, page);
		const run = await instance.run(linear(itemsNode(items), node), gateway.options());

		expect(run.json(SHEET)).toMatchObject([
			{ error: expect.stringContaining('Lasting Links (Days) must be') },
			{ results: 0, html: expect.stringContaining('item 2') },
		]);
	});

	it('says which items have no result', async () => {
		const run = await instance.run(linear(itemsNode([{ a: 1 }, { a: 2 }]), sheetNode()), {
			...gateway.options(),
		});

		expect(run.json(SHEET)[0]!.html).toContain('<p>0 results, 0 failures, $0.00</p>');
		expect(run.hints(SHEET).map(({ message }) => message)).toEqual([
			'All 2 items: No result. Put this node after the one that makes the results, and turn off Check Price Only there',
		]);
	});

	const TASK = { task_id: 'task_1', progress: 0 };
	const isRunning = { results: 0, failures: 0, running: 1 };
	const isResult = { results: 1, failures: 0, running: 0 };
	it.each<[string, IDataObject, typeof isResult]>([
		['a queued task', { ...TASK, status: 'queued' }, isRunning],
		['a task in progress', { ...TASK, status: 'in_progress' }, isRunning],
		['one within data', { code: 0, data: { ...TASK, status: 'QUEUED' } }, isRunning],
		['a task whose status is not known', { ...TASK }, isResult],
		['a row that names a task', { task_id: 'T-1', status: 'Done' }, isResult],
		['a completed task', { ...TASK, status: 'completed' }, isResult],
		['a row of a table', { id: 'rec1', status: 'todo', text: 'a kite' }, isResult],
		[
			'a wait that has failed',
			{ ...TASK, status: 'queued', error: 'x', details: { code: 'timeout' } },
			{ results: 0, failures: 1, running: 0 },
		],
	])('counts %s', async (_name, row, { running, ...counts }) => {
		const run = await instance.run(linear(itemsNode([row]), sheetNode()), gateway.options());
		const [item] = run.json(SHEET);

		expect(item).toMatchObject(counts);
		expect(String(item!.html).includes(', 1 not ended, $')).toBe(running > 0);
		expect(run.hints(SHEET).map(({ message }) => message)).toEqual(
			running ? ['The task has not ended. Put Task > Await before this node'] : [],
		);
	});

	it('shows no video and no file without a type as a picture', async () => {
		const { id } = (await draw(rows(1))).items(NODE)[0]!.binary!.data!;
		const items = [
			{ json: { model: 'kite-9', urls: ['https://example.com/a.mp4'] } },
			{ json: {}, binary: { data: { id, data: '' } } },
		];
		const run = await instance.run(
			linear(itemsNode(items as never), sheetNode()),
			gateway.options(),
		);

		expect(run.json(SHEET)).toMatchObject([{ results: 2 }]);
		expect(run.json(SHEET)[0]!.html).not.toContain('<img');
	});

	it('takes whatever items there are, escaped', async () => {
		const named = '<b>"&';
		const items = [
			{ prompt: named, urls: [`https://example.com/${named}`, 'javascript:alert(1)'] },
			{ task_id: named, model: named, status: 'failed', error: { message: named }, cost: 0 },
			{ error: named, details: { code: named, model: named } },
			{ nothing: 1 },
			{ error: { description: 'No' }, details: { code: 'x', model: { toString: 1 } } },
		];
		const run = await instance.run(
			linear(itemsNode(items), sheetNode({ title: named, caption: '={{ $json.prompt }}' })),
			gateway.options(),
		);
		const html = String(run.json(SHEET)[0]!.html);

		expect(html).not.toContain('<b>"');
		expect(html).not.toContain('javascript:');
		expect(html).not.toContain('undefined');
		expect(html.match(/<figure>/g)).toHaveLength(5);
		expect(run.json(SHEET)[0]).toMatchObject({ failures: 3 });
	});
});
