import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startSandbox, type Sandbox } from '../../sandbox';
import { runWorkflow, startInstance, type WorkflowJson } from '../../scripts/engine';
import { packageWith } from '../../scripts/package';

const FOLDER = path.join(__dirname, '..', '..', 'examples');
const example = (name: string) =>
	JSON.parse(readFileSync(path.join(FOLDER, `${name}.json`), 'utf8')) as WorkflowJson & {
		name: string;
	};

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ taskMs: 200, assetReviewMs: 100 });
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const ran = async (name: string) =>
	await runWorkflow(example(name), packageWith(sandbox.url, sandbox.key));

it('turns a table of prompts into files, and reports the invalid row', async () => {
	const run = await ran('prompt-table-to-files');
	const items = run.items('Generate');
	expect(items.map(({ json }) => json.status ?? 'refused')).toEqual([
		...Array(4).fill('completed'),
		'refused',
		'completed',
		'completed',
	]);
	expect(items[4]!.json.error).toContain('Duration must be 5 or 10, but is 7');
	expect(items.flatMap(({ binary }) => Object.keys(binary ?? {}))).toHaveLength(7);
});

it('makes the nightly videos under the key of their row, and no second task on a second run', async () => {
	const first = await ran('nightly-product-videos');
	const second = await ran('nightly-product-videos');
	expect(first.json('Store')).toHaveLength(2);
	expect(second.json('Store')).toEqual(
		first
			.json('Store')
			.map((json) => expect.objectContaining({ task_id: (json as { task_id: string }).task_id })),
	);
	expect(sandbox.tasks()).toHaveLength(2);
});

it('reports the row that fails, and makes the others', async () => {
	sandbox.settings.fail = ({ prompt }) => (String(prompt).includes('mug') ? 'too hot' : undefined);
	const run = await ran('nightly-product-videos');
	sandbox.settings.fail = () => undefined;
	expect(run.json('Store')).toHaveLength(1);
	expect(run.json('Report What Did Not Work')).toEqual([
		{ report: expect.stringMatching(/^A-100: The task task_\w+ failed: too hot It was refunded/) },
	]);
});

it.each([
	['first-and-last-frame', 'Generate Video', 1],
	['one-prompt-several-models', 'Generate', 4],
	['asset-to-reference-video', 'Generate Video', 1],
])(
	'runs %s to its end',
	async (name, last, count) => {
		const run = await ran(name);
		expect(run.error).toBeUndefined();
		expect(run.json(last)).toEqual(
			Array(count).fill(expect.objectContaining({ status: 'completed' })),
		);
	},
	20_000,
);

it('suspends for the videos and goes on when all have called back', async () => {
	sandbox.settings.taskMs = 800;
	const instance = await startInstance();
	try {
		const suspended = await instance.run(
			example('suspended-await'),
			packageWith(sandbox.url, sandbox.key),
		);
		expect(suspended.status).toBe('waiting');
		const run = await instance.waitForEnd(suspended.executionId);
		expect(run.json('Results')).toEqual(
			Array(3).fill(expect.objectContaining({ status: 'completed' })),
		);
		expect(run.executed).not.toContain('Poll Again');
	} finally {
		sandbox.settings.taskMs = 200;
		await instance.close();
	}
}, 20_000);

it('keeps no credential and no key in any example', () => {
	for (const file of readdirSync(FOLDER)) {
		const text = readFileSync(path.join(FOLDER, file), 'utf8');
		expect(text).not.toMatch(/apiKey|Bearer|sandbox-key/);
		expect(text).toMatch(/"generationGatewayApi": \{\s+"id": ""/);
	}
});
