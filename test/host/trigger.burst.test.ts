import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { startSandbox, type Sandbox } from '../../sandbox';
import { linear, type WorkflowJson } from '../../scripts/engine';
import { startCollector, type Collector } from '../../scripts/host/collector';
import { createHost } from '../../scripts/host/createHost';
import type { N8nHost } from '../../scripts/host/n8nHost';
import { hostsOr } from '../support/hosts';

/** Callbacks at once, one size after the other: `BURST=50,400,1000 npm run test:host -- burst`. */
const BURSTS = (process.env.BURST ?? '50,150').split(',').map(Number);
const HOOK = 'burst';

let sandbox: Sandbox;
let collector: Collector<{ task_id: string }>;
let host: N8nHost;
let folder: string;

/** Posts each task that starts it to the collector. */
function workflow(): WorkflowJson & { id: string; name: string } {
	const json = linear(
		{
			name: 'Trigger',
			type: 'n8n-nodes-generation-gateway.generationGatewayTrigger',
			typeVersion: 2,
			webhookId: HOOK,
			credentials: 'generationGatewayApi',
			parameters: { options: { simplify: true } } as never,
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
				jsonBody: '={{ JSON.stringify({ task_id: $json.task_id }) }}',
				options: {},
			},
		},
	);
	return { ...json, id: HOOK, name: HOOK, settings: { executionOrder: 'v1' } };
}

/** Megabytes of memory that n8n has taken. */
const memoryOf = (processId: number): number =>
	Math.round(
		Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1] ?? 0) /
			1024,
	);

/** Seconds of processor that n8n has used: a busy machine changes them little. */
function processorOf(processId: number): number {
	const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1]!.split(' ');
	return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function submit(count: number): Promise<string[]> {
	const ids: string[] = [];
	for (let at = 0; at < count; at += 1) {
		const { data } = await axios.post<{ task_id: string }>(
			`${sandbox.url}/v1/tasks`,
			{
				model: 'imgn-4.0',
				prompt: `burst ${at}`,
				callback_url: `${host.url}/webhook/${HOOK}/callback`,
			},
			{ headers: { authorization: `Bearer ${sandbox.key}` } },
		);
		ids.push(data.task_id);
	}
	return ids;
}

describe.each(hostsOr('newest'))('a burst of callbacks to n8n $n8n', (version) => {
	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'burst-'));
		// A gateway that repeats a callback that was not taken.
		sandbox = await startSandbox({
			taskMs: Infinity,
			callbackRetry: { attempts: 20, delayMs: 2_000, timeoutMs: 10_000 },
		});
		collector = await startCollector();
		// E.g. `HOST_ENV='{"N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE":"true"}'`.
		const env = JSON.parse(process.env.HOST_ENV ?? '{}') as NodeJS.ProcessEnv;
		const userFolder = path.join(folder, 'user');
		host = await createHost(version, { userFolder, gateway: sandbox, env });
		await host.importWorkflows([workflow()]);
		await host.start();
		await host.signIn();
		await host.publish(HOOK);
	});

	afterAll(async () => {
		await host?.stop();
		await collector?.close();
		await sandbox?.close();
		await rm(folder, { recursive: true, force: true });
	});

	it.each(BURSTS)('of %d starts one run for each task', async (count) => {
		collector.received.length = 0;
		const ids = await submit(count);
		const startedAt = Date.now();
		const processorBefore = processorOf(host.processId);
		let memory = 0;
		const watching = setInterval(() => (memory = Math.max(memory, memoryOf(host.processId))), 200);
		for (const id of ids) void sandbox.finish(id);
		await collector.until(count, 300);
		const seconds = (Date.now() - startedAt) / 1000;
		const processor = processorOf(host.processId) - processorBefore;
		// What would come twice has come by then.
		await new Promise((done) => setTimeout(done, 3_000));
		clearInterval(watching);

		const called = sandbox.tasks().filter(({ task_id }) => ids.includes(task_id));
		const firsts = called.map(({ deliveries }) => deliveries[0]?.status ?? 'none');
		const countFirst = (status: number | string) =>
			firsts.filter((first) => first === status).length;
		const calls = called.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
		console.log(
			`${count} at once: ${seconds.toFixed(1)} s until all had run; first answers ${countFirst(200)} × 200, ${countFirst(503)} × 503, ${countFirst('none')} in time none; ${calls} calls, ${processor.toFixed(1)} s of processor, ${memory} MB`,
		);
		expect(collector.received.map(({ task_id }) => task_id).sort()).toEqual([...ids].sort());
	});
});
