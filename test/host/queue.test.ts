import type { ChildProcess } from 'node:child_process';
import axios from 'axios';
import { linear } from '../../scripts/engine';
import { startCollector, type Collector } from '../../scripts/host/collector';
import { typeOf } from '../../scripts/package';
import { createCluster, type Cluster } from '../../scripts/queue/cluster';
import { hostsOr } from '../support/hosts';
import { findFreePort } from '../../scripts/host/ports';
import { calledWorkflow, createReport, splitOut, withId } from '../support/useHost';
import { delay } from '../support/useSandbox';

const TASKS = 60;
const HOOK = 'queued';
const KEYED = 'keyed';
const KEYS = 8;
/** Executions with one key. */
const RIVALS = 4;
const REPEATED = 20;
const BATCH = 'batch';
const DAILY = 'daily';
const rows = Array.from({ length: 100 }, (_, at) => ({ key: `row ${at}` }));

/** Needs Debian's redis-server and postgresql. */
describe.each(hostsOr('newest'))('two workers of n8n $n8n', (version) => {
	let cluster: Cluster;
	let workers: ChildProcess[];
	let collector: Collector<{ task_id: string; reused?: boolean; code?: string }>;
	beforeAll(async () => {
		collector = await startCollector();
		cluster = await createCluster(version);
		const trigger = {
			type: typeOf('generationGatewayTrigger'),
			typeVersion: 2,
			webhookId: HOOK,
			credentials: 'generationGatewayApi',
		};
		const submit = {
			type: typeOf('generationGateway'),
			name: 'Submit',
			credentials: 'generationGatewayApi' as const,
			parameters: {
				resource: 'image',
				operation: 'generate',
				model: { __rl: true, mode: 'id', value: 'imgn-4.0' },
				prompt: 'a kite',
				options: { idempotencyKey: '={{ $json.body.key }}', download: false },
			},
		};
		const ofRow = {
			...submit,
			parameters: {
				...submit.parameters,
				options: { idempotencyKey: '={{ $json.key }}', download: false },
			},
		};
		const suspended = ['First', 'Second', 'Third'].map((name) => ({
			...submit,
			name,
			onError: 'continueRegularOutput' as const,
			parameters: {
				...submit.parameters,
				prompt: `${name} [fail]`,
				wait: 'suspend',
				options: { maximumDailyCost: 0.1, output: 'links' },
			},
		}));
		const report = createReport(
			'Collect',
			collector.url,
			'{ task_id: $json.task_id, reused: $json.reused, code: $json.details?.code }',
		);
		await cluster.host.importWorkflows([
			withId(HOOK, linear(trigger, report)),
			calledWorkflow(KEYED, submit, report),
			calledWorkflow(BATCH, splitOut('body.rows'), ofRow, report),
			calledWorkflow(DAILY, ...suspended, report),
		]);
		await restartMain();
		for (const id of [HOOK, KEYED, BATCH, DAILY]) await cluster.host.publish(id);
		workers = [await cluster.startWorker(), await cluster.startWorker()];
		Object.assign(cluster.sandbox.settings, {
			taskMs: Infinity,
			callbacks: 'doubled',
			callbackRetry: { attempts: 20, delayMs: 1_000, timeoutMs: 10_000 },
		});
	});
	afterAll(async () => {
		await cluster?.teardown();
		await collector?.close();
	});

	async function restartMain(): Promise<void> {
		await cluster.host.stop();
		await cluster.host.start();
		await cluster.host.signIn();
	}
	const url = () => `${cluster.host.url}/webhook/${HOOK}/callback`;
	async function submit(): Promise<string> {
		const { url: gateway, key } = cluster.sandbox;
		const body = { model: 'imgn-4.0', prompt: 'a kite', callback_url: url() };
		const headers = { authorization: `Bearer ${key}` };
		const { data } = await axios.post<{ task_id: string }>(`${gateway}/v1/tasks`, body, {
			headers,
		});
		return data.task_id;
	}

	it('start one run for each task when callbacks come twice, and again after a restart of main', async () => {
		const ids = await Promise.all(Array.from({ length: TASKS }, submit));
		for (const id of ids) void cluster.sandbox.finish(id);
		await collector.until(TASKS, 120);
		await delay(5_000);
		await restartMain();
		for (const task_id of ids) await axios.post(url(), { task_id });
		await delay(5_000);

		expect(collector.received.map(({ task_id }) => task_id).sort()).toEqual(ids.sort());
	});

	it('record the cost of a key once, whoever asks for it at the same moment', async () => {
		Object.assign(cluster.sandbox.settings, { taskMs: 2_000 });
		collector.received.length = 0;
		const keys = Array.from({ length: KEYS }, (_, at) => `产品-${at}`);
		const calls = keys.flatMap((key) => Array<string>(RIVALS).fill(key));
		await Promise.all(
			calls.map(async (key) => await axios.post(`${cluster.host.url}/webhook/${KEYED}`, { key })),
		);
		await collector.until(calls.length, 120);
		const made = new Set(collector.received.map(({ task_id }) => task_id));
		expect(made.size).toBe(KEYS);
		expect(collector.received.filter(({ reused }) => reused)).toHaveLength(KEYS * (RIVALS - 1));
		// n8n saves the custom data when the execution has ended.
		await delay(3_000);
		const costs = await cluster.services.query(
			"SELECT value FROM execution_metadata WHERE key = 'gateway_cost_usd'",
		);
		expect(costs.flat()).toEqual(Array(KEYS).fill('0.0425'));
	});

	it('start one run when a callback is repeated at another process four seconds later', async () => {
		Object.assign(cluster.sandbox.settings, { taskMs: Infinity, callbacks: 'lost' });
		collector.received.length = 0;
		const port = await findFreePort();
		const webhooks = cluster.host.launch(['webhook'], { N8N_PORT: String(port) });
		try {
			const elsewhere = url().replace(/:\d+/, `:${port}`);
			const isUp = async () =>
				(await axios.get(elsewhere, { validateStatus: () => true }).catch(() => undefined)) !==
				undefined;
			for (let tries = 0; tries < 120 && !(await isUp()); tries += 1) await delay(500);
			const ids = await Promise.all(Array.from({ length: REPEATED }, submit));
			for (const id of ids) await cluster.sandbox.finish(id);
			await Promise.all(ids.map(async (task_id) => await axios.post(url(), { task_id })));
			await delay(4_000);
			await Promise.all(ids.map(async (task_id) => await axios.post(elsewhere, { task_id })));
			await collector.until(REPEATED, 60);
			await delay(5_000);

			expect(collector.received.map(({ task_id }) => task_id).sort()).toEqual(ids.sort());
		} finally {
			webhooks.kill('SIGKILL');
		}
	});

	it('make each row of a batch once when the worker is killed and the batch is run again', async () => {
		Object.assign(cluster.sandbox.settings, { taskMs: 1_000, callbacks: 'normal' });
		collector.received.length = 0;
		const before = cluster.sandbox.tasks().length;
		const made = () => cluster.sandbox.tasks().length - before;
		const start = async () => await axios.post(`${cluster.host.url}/webhook/${BATCH}`, { rows });
		await start();
		while (made() < rows.length / 3) await delay(20);
		for (const worker of workers) worker.kill('SIGKILL');
		await delay(500);
		const left = made();
		workers = [await cluster.startWorker(), await cluster.startWorker()];
		await start();
		await collector.until(rows.length, 120);

		expect(left).toBeLessThan(rows.length);
		expect(made()).toBe(rows.length);
		expect(new Set(collector.received.map(({ task_id }) => task_id)).size).toBe(rows.length);
	});

	it('count no hold of a suspended task that has failed, though main takes its callback', async () => {
		Object.assign(cluster.sandbox.settings, { taskMs: 1_500, callbacks: 'normal' });
		collector.received.length = 0;
		for (const worker of workers) worker.kill('SIGKILL');
		workers = [await cluster.startWorker()];
		await axios.post(`${cluster.host.url}/webhook/${DAILY}`, {});
		await collector.until(1, 60);

		expect(collector.received.map(({ code }) => code)).toEqual(['task_failed']);
	});
});
