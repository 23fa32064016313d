import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { startSandbox, type Sandbox } from '../../sandbox';
import { linear, type NodeSpec, type WorkflowJson } from '../../scripts/engine';
import { startCollector, type Collector } from '../../scripts/host/collector';
import { createHost } from '../../scripts/host/createHost';
import { CREDENTIAL, type N8nHost } from '../../scripts/host/n8nHost';
import { hostsOr } from '../support/hosts';

const TASKS = 20;
/** As many as wanted: `SUSPENDED=1000 npm run test:host -- suspended`. */
const SUSPENDED = Number(process.env.SUSPENDED ?? 200);
const SENT_AT_ONCE = 20;
/** Far below the suspended executions, so that none of them can count towards this limit. */
const CONCURRENCY_LIMIT = 5;

let sandbox: Sandbox;
let collector: Collector<Collected>;
let host: N8nHost;
let folder: string;

const gateway = (name: string, parameters: Record<string, unknown>): NodeSpec => ({
	name,
	type: 'n8n-nodes-generation-gateway.generationGateway',
	credentials: 'generationGatewayApi',
	parameters: parameters as never,
});

/** Called with a number of rows: submits a task for each, suspends, and posts all items in one piece to the collector. */
function workflow(
	id: string,
	hours: number,
	...between: NodeSpec[]
): WorkflowJson & { id: string; name: string } {
	const rows =
		'={{ JSON.stringify({ rows: Array.from({ length: $json.body.rows }, (_, row) => ({ row, batch: $json.body.batch })) }) }}';
	const json = linear(
		{
			name: 'Start',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: id,
			parameters: { httpMethod: 'POST', path: id, options: {} },
		},
		{
			name: 'Rows',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: rows, options: {} },
		},
		{
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'rows', options: {} },
		},
		gateway('Submit', {
			resource: 'image',
			operation: 'generate',
			prompt: '={{ $json.batch }} {{ $json.row }}',
			wait: 'none',
			options: { callbackExecution: true },
		}),
		gateway('Await', {
			resource: 'task',
			operation: 'await',
			taskId: '={{ $json.task_id }}',
			waitBy: 'suspend',
			suspendHours: hours,
		}),
		...between,
		{
			name: 'All',
			type: 'n8n-nodes-base.aggregate',
			parameters: { aggregate: 'aggregateAllItemData', options: {} },
		},
		{
			name: 'Collect',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: collector.url,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ JSON.stringify({ rows: $json.data, execution: $execution.id }) }}',
				options: {},
			},
		},
	);
	return { ...json, id, name: id, settings: { executionOrder: 'v1' } };
}

/** Called with a file, which goes into the request of a task; nothing waits for it. */
const withFile: WorkflowJson & { id: string; name: string } = {
	...linear(
		{
			name: 'Start',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: 'with-file',
			parameters: { httpMethod: 'POST', path: 'with-file', options: {} },
		},
		gateway('Submit', {
			resource: 'task',
			operation: 'submit',
			model: { __rl: true, mode: 'id', value: 'gmn-2.5-flash-image-preview' },
			parameters: '{ "prompt": "from a file", "action": "edit", "image_urls": ["data"] }',
		}),
	),
	id: 'with-file',
	name: 'with-file',
	settings: { executionOrder: 'v1' },
};

/** n8n says that a workflow is published a moment before its webhook is there. */
const start = async (id: string, batch: string, rows = TASKS) =>
	await until(
		async () =>
			(
				await axios.post(
					`${host.url}/webhook/${id}`,
					{ batch, rows },
					{ validateStatus: (status) => status < 300 || status === 404 },
				)
			).status !== 404,
	);
const tasksOf = (batch: string) =>
	sandbox.tasks().filter(({ body }) => String(body.prompt).startsWith(`${batch} `));
const counted = async (status: string) =>
	(
		await host.rest<{ count: number }>(
			'GET',
			`/executions?limit=1&filter=${encodeURIComponent(JSON.stringify({ status: [status] }))}`,
		)
	).count;

async function until(met: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
	for (
		const end = Date.now() + seconds * 1000;
		Date.now() < end;
		await new Promise((done) => setTimeout(done, 100))
	)
		if (await met()) return;
	throw new Error(`Waited ${seconds} s in vain:\n${host.getLog().slice(-2000)}`);
}

/** The tasks of a batch in an order that is not theirs. */
const shuffled = (batch: string) =>
	tasksOf(batch)
		.map(({ task_id }, at) => ({ task_id, order: (at * 7) % TASKS }))
		.sort((a, b) => a.order - b.order)
		.map(({ task_id }) => task_id);
/** Ends tasks; their callbacks are on their way, and those that come when the execution has gone on are refused by n8n. */
const finish = (ids: string[]) => void ids.forEach((id) => void sandbox.finish(id));

/** Suspends a batch and resolves when it is suspended, with none of its tasks ended. */
async function suspendBatch(id: string, batch: string): Promise<void> {
	const before = await counted('waiting');
	await start(id, batch);
	await until(
		async () => tasksOf(batch).length === TASKS && (await counted('waiting')) === before + 1,
	);
	// n8n lists an execution as waiting a moment before it can resume it; a call in between is answered 500.
	await new Promise((done) => setTimeout(done, 1_000));
}

interface Collected {
	rows: { task_id: string; status: string }[];
}

function expectAll(batch: string, { rows }: Collected): void {
	const prompts = new Map(tasksOf(batch).map(({ task_id, body }) => [task_id, body.prompt]));
	expect(rows.map(({ task_id }) => prompts.get(task_id))).toEqual(
		Array.from({ length: TASKS }, (_, row) => `${batch} ${row}`),
	);
	expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['completed']));
}

describe.each(hostsOr('newest'))('suspended in n8n $n8n', (version) => {
	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'suspended-'));
		sandbox = await startSandbox({
			taskMs: Infinity,
			callbackRetry: { attempts: 20, delayMs: 500, timeoutMs: 20_000 },
		});
		collector = await startCollector();
		host = await createHost(version, {
			userFolder: path.join(folder, 'user'),
			gateway: sandbox,
			env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: String(CONCURRENCY_LIMIT) },
		});
		const again = gateway('Await Again', {
			resource: 'task',
			operation: 'await',
			taskId: '={{ $json.task_id }}',
		});
		await host.importWorkflows([
			workflow('suspended', 1),
			workflow('lossy', 0.002, again),
			withFile,
		]);
		await host.start();
		await host.signIn();
		for (const id of ['suspended', 'lossy', 'with-file']) await host.publish(id);
	});

	afterAll(async () => {
		await host?.stop();
		await collector?.close();
		await sandbox?.close();
		await rm(folder, { recursive: true, force: true });
	});

	beforeEach(() => void (collector.received.length = 0));

	it('resumes once for twenty tasks that end in any order, with all results in theirs', async () => {
		await suspendBatch('suspended', 'shuffled');
		finish(shuffled('shuffled'));
		const [first, ...more] = await collector.until(1);

		expectAll('shuffled', first!);
		expect(more).toEqual([]);
		// n8n refuses a call that meets an execution on its way with a number of its own, 500 under load.
		const refusals = tasksOf('shuffled')
			.flatMap(({ deliveries }) => deliveries)
			.map(({ status, refusal }) => ({ status, ...(refusal as { received?: false }) }))
			.filter(({ received }) => received !== undefined);
		expect(refusals.filter(({ status }) => status !== 503)).toEqual([]);
	});

	it('goes on after n8n was killed and started again in the middle', async () => {
		await suspendBatch('suspended', 'restarted');
		const order = shuffled('restarted');
		finish(order.slice(0, TASKS / 2));
		await host.stop('SIGKILL');
		finish(order.slice(TASKS / 2));
		await host.start();
		await host.signIn();
		const [first, ...more] = await collector.until(1);

		expectAll('restarted', first!);
		expect(more).toEqual([]);
	});

	it('goes on after its time when three callbacks were lost, and the next await finds their tasks', async () => {
		await suspendBatch('lossy', 'lossy');
		const order = shuffled('lossy');
		sandbox.settings.callbacks = 'lost';
		finish(order.slice(-3));
		// Whichever of the others called back, the three would be found; so they end once the time is up.
		const countPolls = () =>
			sandbox.requests.filter(({ path: at }) => at.endsWith(order[0]!)).length;
		const before = countPolls();
		await until(() => countPolls() > before, 150);
		finish(order.slice(0, -3));
		const [first] = await collector.until(1);
		sandbox.settings.callbacks = 'normal';

		expectAll('lossy', first!);
	});

	it.each([
		['the right key', () => ({}), 'OK', 'Connection successful!'],
		['a wrong key', () => ({ apiKey: 'sk-wrong' }), 'Error', 'does not accept the API key'],
		['a web page', () => ({ baseUrl: host.url }), 'Error', 'it is no gateway'],
		['no server', () => ({ baseUrl: 'http://localhost:9' }), 'Error', 'ECONNREFUSED'],
		['no address', () => ({ baseUrl: 'gateway' }), 'Error', 'Base URL'],
	])('tells by the test of the credential: %s', async (_name, data, status, words) => {
		const { url: baseUrl, key: apiKey } = sandbox;
		const credentials = {
			...CREDENTIAL,
			data: { baseUrl, apiKey, ...data() },
		};

		expect(await host.rest('POST', '/credentials/test', { credentials })).toMatchObject({
			status,
			message: expect.stringContaining(words),
		});
	});

	it('keeps a file that came by a webhook for the gateway, also when the run has ended', async () => {
		const bytes = Buffer.from('89504e470d0a1a0a', 'hex');
		const form = new FormData();
		form.append('data', new Blob([bytes], { type: 'image/png' }), 'kite.png');
		await axios.post(`${host.url}/webhook/with-file`, form);
		const isMade = ({ body }: { body: { prompt?: unknown } }) => body.prompt === 'from a file';
		await until(() => sandbox.tasks().some(isMade));
		await until(async () => (await counted('running')) === 0);

		const { body } = sandbox.tasks().find(isMade)!;
		const [link] = body.image_urls as [string];
		const { data } = await axios.get<ArrayBuffer>(link, { responseType: 'arraybuffer' });
		expect(Buffer.from(data)).toEqual(bytes);
	});

	it(`counts towards no limit: with ${SUSPENDED} suspended and a limit of ${CONCURRENCY_LIMIT}, another execution runs at once`, async () => {
		const before = await counted('waiting');
		for (let sent = 0; sent < SUSPENDED; sent += SENT_AT_ONCE)
			await Promise.all(
				Array.from({ length: SENT_AT_ONCE }, (_, at) => start('suspended', `many-${sent + at}`, 1)),
			);
		await until(async () => (await counted('waiting')) === before + SUSPENDED, 300);
		expect(await counted('running')).toBe(0);

		await suspendBatch('suspended', 'last');
		finish(tasksOf('last').map(({ task_id }) => task_id));
		const [first] = await collector.until(1);
		expectAll('last', first!);
		expect(await counted('waiting')).toBe(before + SUSPENDED);
	});
});
