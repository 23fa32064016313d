import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { asTool, itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { TOOL_CALLER_TYPE } from '../../scripts/engine/harnessNodes';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { runInLoop } from '../support/loop';

const gateway = useGateway();

afterEach(() => {
	// Whatever a test does, no key goes to the host of the files.
	expect(gateway.sandbox.leaks).toEqual([]);
	for (const { headers } of gateway.sandbox.downloads)
		expect(JSON.stringify(headers)).not.toContain(gateway.sandbox.key);
});

const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const submission = { model: 'imgn-4.0', prompt: 'a kite' };

describe('the files of a panel, without an option', () => {
	const rows = [{ prompt: 'one' }, { prompt: 'two' }];
	const ofRow = { ...kite, prompt: '={{ $json.prompt }}' };

	it('are there, named by their model and item', async () => {
		const run = await gateway.run('image:generate', ofRow, { items: rows });

		expect(run.items(NODE).map(({ binary }) => binary?.data?.fileName)).toEqual([
			'imgn-4.0-1.jpg',
			'imgn-4.0-2.jpg',
		]);
	});

	it('have the end of the task ID as well in a further pass of a loop', async () => {
		const { run } = await runInLoop(kite, 2, gateway.options());

		const names = run.data.resultData.runData[NODE]!.map(
			({ data }) => data?.main?.[0]?.[0]?.binary?.data?.fileName,
		);
		const end = String(gateway.sandbox.tasks()[1]!.task_id).slice(-8);
		expect(names).toEqual(['imgn-4.0-1.jpg', `imgn-4.0-1-${end}.jpg`]);
	});

	it.each(['task:await', 'task:get'] as const)(
		'have the end of the task ID as well where one item has several tasks: %s',
		async (menu) => {
			const submitted = [await gateway.submit(submission), await gateway.submit(submission)];
			const ids = submitted.map(({ data }) => String(data.task_id));
			await Promise.all(ids.map(async (id) => await gateway.sandbox.finish(id, 'completed')));
			const parameters = { taskId: '={{ $json.ids }}', options: { output: 'files' } };
			const run = await gateway.run(menu, parameters, { items: [{ ids }] });

			expect(run.items(NODE).map(({ binary }) => binary?.data?.fileName)).toEqual(
				ids.map((id) => `imgn-4.0-1-${id.slice(-8)}.jpg`),
			);
		},
	);

	it('do not take the links away when they cannot be fetched, and the output says why', async () => {
		gateway.sandbox.faults.add({ match: { path: /^\/files\// }, times: 9, kind: { status: 404 } });
		const run = await gateway.run('image:generate', kite);

		expect(run.error).toBeUndefined();
		expect(run.items(NODE)[0]).not.toHaveProperty('binary');
		expect(run.json(NODE)[0]).toMatchObject({ status: 'completed', urls: [expect.any(String)] });
		expect(run.hints(NODE).map(({ message }) => message)).toContainEqual(
			expect.stringMatching(/no longer available \(404\)\. The item has the links\./),
		);
	});

	it('are those that can be fetched', async () => {
		gateway.sandbox.faults.add({
			match: { path: /^\/files\/.*-1\./ },
			times: 9,
			kind: { status: 404 },
		});
		const run = await gateway.run('image:generate', { ...kite, additionalFields: { n: 3 } });
		const [item] = run.items(NODE);

		expect(Object.keys(item?.binary ?? {})).toEqual(['data', 'data_2']);
		expect(item?.json.urls).toHaveLength(3);
		expect(run.hints(NODE).map(({ message }) => message)).toContainEqual(
			expect.stringMatching(/no longer available \(404\)\. The item has the links\./),
		);
	});

	it.each([
		['default', 30_000_000, false],
		['default', 1_000_000, true],
		['filesystem', 30_000_000, true],
	] as const)('with files in %s and %i bytes: %s', async (binaryMode, bytes, isThere) => {
		gateway.sandbox.settings.resultLinks = () => [
			`${gateway.sandbox.url}/files/big?bytes=${bytes}`,
		];
		const run = await gateway.run('image:generate', kite, { engine: { binaryMode } });

		expect(run.items(NODE)[0]?.binary !== undefined).toBe(isThere);
		expect(JSON.stringify(run.hints(NODE)).includes('keeps files in memory')).toBe(!isThere);
	});

	it.each([
		['default', 25_000_000, false],
		['default', 19_000_000, true],
		['filesystem', 25_000_000, true],
	] as const)(
		'with files in %s and %i bytes that the host does not announce: %s',
		async (binaryMode, bytes, isThere) => {
			const piece = Buffer.alloc(1_000_000);
			const host = createServer((_request, response) => {
				Readable.from(Array.from({ length: bytes / piece.length }, () => piece)).pipe(response);
			});
			await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
			const link = `http://127.0.0.1:${(host.address() as AddressInfo).port}/a.png`;
			gateway.sandbox.settings.resultLinks = () => [link];
			const run = await gateway.run('image:generate', kite, { engine: { binaryMode } });
			host.close();

			expect(run.items(NODE)[0]?.binary !== undefined).toBe(isThere);
			expect(JSON.stringify(run.hints(NODE)).includes('more than 20 MB')).toBe(!isThere);
		},
	);

	it('are links only for an agent', async () => {
		const node = gatewayNode('image:generate', kite);
		const tool = { ...asTool(node), name: 'Tool' };
		const caller = { type: TOOL_CALLER_TYPE, parameters: { tool: 'Tool', arguments: {} } };
		const run = await runWorkflow(
			linear(itemsNode([{}]), { ...caller, name: 'Caller', subNodes: { ai_tool: [tool] } }),
			gateway.options(),
		);

		expect(run.error).toBeUndefined();
		expect(gateway.sandbox.tasks()).toHaveLength(1);
		expect(gateway.sandbox.downloads).toEqual([]);
	});
});
