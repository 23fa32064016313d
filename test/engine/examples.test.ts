import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startSandbox, type Sandbox } from '../../sandbox';
import {
	itemsNode,
	linear,
	runWorkflow,
	startInstance,
	type EngineRun,
	type WorkflowJson,
} from '../../scripts/engine';
import {
	createMailCredential,
	startMailbox,
	type Mail,
	type Mailbox,
} from '../../scripts/host/mailbox';
import { packageWith } from '../../scripts/package';
import { onFastClock } from '../support/fastClock';
import { listChanged } from '../support/listedModels';

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

const ran = async (name: string) => {
	const workflow = example(name);
	// Retry On Fail is part of some examples, and its delay of seconds is n8n's.
	const nodes = workflow.nodes.map((node) => ({ ...node, waitBetweenTries: 1 }));
	return await runWorkflow({ ...workflow, nodes }, packageWith(sandbox.url, sandbox.key));
};

it.each(['daily-budget', 'spend-report'])(
	'%s counts a task that still runs with what is held for it',
	async (name) => {
		const cost = example(name).nodes.find((node) => node.name === 'Cost of the Task')!;
		const created_at = '2026-11-28T10:00:00.000Z';
		const running = { task_id: 'task_1', created_at, cost: null, cost_usd: null };
		const run = await runWorkflow(
			linear(
				itemsNode([
					{ json: { ...running, pre_consumed_cost: 10_625 } },
					{ json: running },
					{ json: { ...running, cost: 21_250, cost_usd: 0.0425 } },
				]),
				cost,
			),
		);

		expect(run.json(cost.name)).toMatchObject([
			{ cost: 10_625, cost_usd: 0.02125 },
			{ cost: 0, cost_usd: 0 },
			{ cost: 21_250, cost_usd: 0.0425 },
		]);
	},
);

it('turns a table of prompts into files, and reports the invalid row', async () => {
	const run = await ran('prompt-table-to-files');
	const outcomes = ['Picture', 'Poster', 'Clip'].map((panel) =>
		run.items(panel).map(({ json, binary }) => (binary?.data ? json.status : String(json.error))),
	);
	const completed = Array(3).fill('completed');
	expect(outcomes).toEqual([
		completed,
		completed,
		['completed', 'completed', 'Duration must be 3 to 15, but is 20'],
	]);
});

it('keeps the best of four pictures, and tries again no more than three times', async () => {
	const run = await ran('best-of-n-with-a-judge');
	expect(sandbox.tasks().map(({ status, body }) => [status, body.n])).toEqual(
		Array(3).fill(['completed', 4]),
	);
	const [winner, ...more] = run.items('Winner');
	expect(more).toEqual([]);
	expect(winner).toMatchObject({
		json: { best: 1, url: expect.stringMatching(/^http.*-0\./) },
		binary: { data: { mimeType: expect.stringMatching(/^image/) } },
	});
	const chats = sandbox.requests.filter(({ path: at }) => at === '/v1/chat/completions');
	expect(JSON.stringify(chats[0]!.body).match(/"image_url":\{"url":"http/g)).toHaveLength(4);
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
	expect(sandbox.tasks()).toHaveLength(4);
});

it(
	'reports the row that fails, and makes the others',
	onFastClock(async () => {
		sandbox.settings.fail = ({ prompt }) =>
			String(prompt).includes('mug') ? 'too hot' : undefined;
		const run = await ran('nightly-product-videos');
		sandbox.settings.fail = () => undefined;
		expect(run.json('Store')).toHaveLength(1);
		expect(run.json('Report What Did Not Work')).toEqual([
			{
				report: expect.stringMatching(/^A-100: The task task_\w+ failed: too hot It was refunded/),
			},
		]);
	}),
);

it(
	'ranks four models by points per dollar on one page, within two dollars',
	onFastClock(async () => {
		const run = await ran('shoot-out');
		const [page, ...more] = run.json('Contact Sheet') as { html: string; cost_usd: number }[];

		expect(more).toEqual([]);
		expect(page).toMatchObject({ results: 20, failures: 0 });
		expect(page!.cost_usd).toBeLessThanOrEqual(2);
		expect(page!.html.match(/<h1>.*?points per dollar.*?<\/h1>/)).not.toBeNull();
		expect(page!.html).toMatch(/<figcaption>\d+ of 10\. /);
	}),
);

it(
	'makes only the frame and the clips of a shot that has changed again',
	onFastClock(async () => {
		const first = await ran('storyboard');
		expect(first.json('Contact Sheet')).toMatchObject([{ results: 3, failures: 0 }]);
		expect(sandbox.tasks()).toHaveLength(4 + 3);

		const workflow = JSON.stringify(example('storyboard')).replace('waves over', 'rain over');
		const options = packageWith(sandbox.url, sandbox.key);
		const second = await runWorkflow(JSON.parse(workflow) as WorkflowJson, options);
		const again = sandbox.tasks().slice(7);

		expect(again.map(({ model }) => model)).toEqual(['imgn-4.0', 'clipk-v3', 'clipk-v3']);
		expect(second.json('Contact Sheet')).toMatchObject([{ results: 3, failures: 0 }]);
		expect(second.hints('Key Frame').map(({ message }) => message)).toContain(
			'3 results reused from an earlier execution: $0.1275 saved',
		);
	}),
);

it.each([
	['first-and-last-frame', 'Video Between', 1],
	['asset-to-reference-video', 'Generate Video', 1],
])(
	'runs %s to its end',
	onFastClock(async (name, last, count) => {
		const run = await ran(name);
		expect(run.error).toBeUndefined();
		expect(run.json(last)).toEqual(
			Array(count).fill(expect.objectContaining({ status: 'completed' })),
		);
	}),
);

describe('the report on models', () => {
	let mailbox: Mailbox;
	const mails: Mail[] = [];
	beforeAll(async () => {
		mailbox = await startMailbox((mail) => mails.push(mail));
	});
	beforeEach(() => {
		mails.length = 0;
	});
	afterEach(() => {
		sandbox.settings.listModels = (served) => served;
	});
	afterAll(() => mailbox.close());

	const runFrom = async (startNode: string) => {
		const { credentials, ...options } = packageWith(sandbox.url, sandbox.key);
		const smtp = createMailCredential(mailbox);
		const report = example('model-drift-report');
		// As somebody activates the schedule.
		const nodes = report.nodes.map((node) => ({ ...node, disabled: false }));
		return await runWorkflow(
			{ ...report, nodes },
			{
				...options,
				credentials: { ...credentials, smtp },
				startNode,
			},
		);
	};

	it.each(['Every Monday', 'When clicking Execute'])(
		'is mailed where something differs: %s',
		async (startNode) => {
			sandbox.settings.listModels = listChanged;
			const run = await runFrom(startNode);

			expect(run.error).toBeUndefined();
			const [compared] = run.json('Compare') as { gateway: string }[];
			const counts = '1 new, 1 missing, 1 listed again, 1 price moved';
			expect(mails).toMatchObject([
				{ to: 'maintainer@example.com', subject: `Models of ${compared!.gateway}: ${counts}` },
			]);
			expect(mails[0]!.text.trim()).toBe(
				[
					'New at the gateway:\n- clipk-zz',
					'Not listed any more:\n- clipk-v2.6',
					'Listed again:\n- srx-2',
					'Prices that moved:\n- imgn-4.0: $0.0425 is now 0.05',
				].join('\n\n'),
			);
			expect(run.executed).not.toContain('Nothing Differs');
		},
	);

	it('is not mailed where nothing differs', async () => {
		const run = await runFrom('Every Monday');

		expect(run.json('Nothing Differs')).toMatchObject([{ has_differences: false }]);
		expect(mails).toEqual([]);
	});
});

/** Runs an example that is suspended meanwhile. */
async function suspended(name: string): Promise<EngineRun> {
	sandbox.settings.taskMs = 800;
	const instance = await startInstance();
	try {
		const waiting = await instance.run(example(name), packageWith(sandbox.url, sandbox.key));
		expect(waiting.status).toBe('waiting');
		return await instance.waitForEnd(waiting.executionId);
	} finally {
		sandbox.settings.taskMs = 200;
		await instance.close();
	}
}

it('suspends for the videos and goes on when all have called back', async () => {
	const run = await suspended('suspended-await');

	expect(run.json('Results')).toEqual(
		Array(3).fill(expect.objectContaining({ status: 'completed' })),
	);
	expect(run.executed).not.toContain('Poll Again');
});

it('gives each long video beside its row, and names the row that is refused', async () => {
	const run = await suspended('long-videos-in-one-node');

	expect(run.json('Results')).toEqual([
		{ row_id: 'A-100', video: expect.stringMatching(/^http/), cost_usd: expect.any(Number) },
		{ row_id: 'A-101', video: expect.stringMatching(/^http/), cost_usd: expect.any(Number) },
		{ row_id: 'A-102', error: 'Duration must be 3 to 15, but is 90' },
	]);
	expect(run.json('Failed?')).toMatchObject([{ row_id: 'A-102' }]);
	expect(sandbox.tasks()).toHaveLength(2);
});

const NAMES = readdirSync(FOLDER).flatMap((file) =>
	file.split('.json', 1).filter((name) => name !== file),
);
describe.each(NAMES)('%s', (name) => {
	const text = readFileSync(path.join(FOLDER, `${name}.json`), 'utf8');

	it('keeps no credential and no key', () => {
		expect(text).not.toMatch(/apiKey|Bearer (?!Auth)|sandbox-key/);
		expect(text).toMatch(/"generationGatewayApi": \{\s+"id": ""/);
	});

	it('needs no address that nobody serves', () => {
		expect(text).not.toMatch(/https?:\/\//);
	});

	it('starts by Execute: n8n prefers every other active trigger to the manual one', () => {
		const json = example(name);
		const triggers = json.nodes.filter(({ type }) => /Trigger$/.test(type));
		const manual = triggers.find(({ type }) => type.endsWith('.manualTrigger'));
		const others = triggers.filter((node) => node !== manual && !node.disabled);
		// A trigger that is needed beside it: the note says which button to press.
		const [about] = notesOf(json);
		const isNamed = String(about!.parameters.content).includes(
			'press **Execute workflow** beside *When clicking Execute*',
		);

		if (manual) expect(others.length > 0).toBe(isNamed);
		else expect(others).toHaveLength(1);
	});

	it('says on its canvas what it does and what to change', () => {
		const [about] = notesOf(example(name));
		expect(about!.parameters.content).toMatch(
			/^## [^]*\*\*Try it\*\*: [^]*\*\*(Change|Use it)\*\*: /,
		);
	});

	it('has every node on one note at most, whole, and nothing on top of another', () => {
		const json = example(name);
		const notes = notesOf(json).map(toBox);
		const nodes = json.nodes.filter((node) => !isNote(node)).map(toBox);
		expect([...findOverlaps(notes), ...findOverlaps(nodes)]).toEqual([]);
		const sticksOut = nodes.filter((node) =>
			notes.some((note) => overlap(note, node) && !isInside(node, note)),
		);
		expect(sticksOut).toEqual([]);
	});
});

type ExampleNode = WorkflowJson['nodes'][number];

const isNote = ({ type }: ExampleNode) => type.endsWith('.stickyNote');
const notesOf = ({ nodes }: WorkflowJson) => nodes.filter(isNote);

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** The room that a node takes on the canvas, its name below it included; a note's heading needs the room above. */
function toBox(node: ExampleNode): Box {
	const [left, top] = node.position!;
	const { width, height } = node.parameters as { width: number; height: number };
	return isNote(node)
		? { name: node.name, left, top, right: left + width, bottom: top + height }
		: { name: node.name, left: left - 50, top, right: left + 146, bottom: top + 150 };
}

const HEADING = 70;
const overlap = (a: Box, b: Box) =>
	a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const isInside = (node: Box, note: Box) =>
	node.left >= note.left &&
	node.right <= note.right &&
	node.top >= note.top + HEADING &&
	node.bottom <= note.bottom;
const findOverlaps = (boxes: Box[]) =>
	boxes.flatMap((a, index) =>
		boxes.slice(index + 1).flatMap((b) => (overlap(a, b) ? [`${a.name} and ${b.name}`] : [])),
	);
