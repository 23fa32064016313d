import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { startSandbox, type Sandbox } from '../../sandbox';
import { linear, type WorkflowJson } from '../../scripts/engine';
import { createHost } from '../../scripts/host/createHost';
import type { N8nHost } from '../../scripts/host/n8nHost';
import { gatewayNode, modelId } from '../support/gateway';
import { hostsOr } from '../support/hosts';

/** 0.0425 USD, 21,250 quota. */
const PRICE = 21_250;
let sandbox: Sandbox;
let host: N8nHost;
let folder: string;

interface Execution {
	id: string;
	status: string;
	customData: Record<string, string>;
}

/** Called with rows: makes a picture of each. */
function workflow(id: string, parameters: object): WorkflowJson & { id: string; name: string } {
	const kite = { model: modelId('imgn-4.0'), prompt: '={{ $json.prompt }}', ...parameters };
	const json = linear(
		{
			name: 'Start',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: id,
			parameters: { httpMethod: 'POST', path: id, options: {} },
		},
		{
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.rows', options: {} },
		},
		gatewayNode('image:generate', kite as never),
	);
	return { ...json, id, name: id, settings: { executionOrder: 'v1' } };
}

/** The same workflow, with the node of the gateway in Loop Over Items. */
function looped(json: ReturnType<typeof workflow>): ReturnType<typeof workflow> {
	const [gateway] = json.nodes.slice(-1);
	const loop = {
		name: 'Loop',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		position: [0, 200],
		id: 'loop',
		parameters: { batchSize: 1, options: {} },
	};
	Object.assign(gateway!, { onError: 'continueRegularOutput' });
	const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
	return {
		...json,
		nodes: [...json.nodes, loop as never],
		connections: {
			...json.connections,
			Split: { main: [to('Loop')] },
			Loop: { main: [[], to(gateway!.name)] },
			[gateway!.name]: { main: [to('Loop')] },
		},
	};
}

async function until(met: () => boolean | Promise<boolean>): Promise<void> {
	for (let tries = 0; tries < 600; tries += 1) {
		if (await met()) return;
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	throw new Error(
		`It did not come about in two minutes. n8n said last:\n${host.getLog().slice(-1500)}`,
	);
}

/** Publishes the workflow and calls it; n8n says that it is published a moment before its webhook is there. */
async function start(
	of: WorkflowJson & { id: string },
	prompts: string[],
	times = 1,
): Promise<void> {
	await host.importWorkflows([of]);
	await host.publish(of.id);
	const rows = prompts.map((prompt) => ({ prompt }));
	const send = async () =>
		await axios.post(`${host.url}/webhook/${of.id}`, { rows }, { validateStatus: () => true });
	await until(async () => (await send()).status === 200);
	await Promise.all(Array.from({ length: times - 1 }, send));
}

const executionsOf = async (workflowId: string): Promise<Execution[]> => {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const { results } = await host.rest<{ results: Execution[] }>(
		'GET',
		`/executions?filter=${filter}`,
	);
	return results;
};
const endedOf = async (workflowId: string, count: number): Promise<Execution[]> => {
	let found: Execution[] = [];
	await until(async () => {
		found = await executionsOf(workflowId);
		return (
			found.length === count && found.every(({ status }) => !['running', 'new'].includes(status))
		);
	});
	return found;
};
const details = async ({ id }: Execution) => await host.rest<Execution>('GET', `/executions/${id}`);
const tasksOf = (batch: string) =>
	sandbox.tasks().filter(({ body }) => String(body.prompt).startsWith(batch));
const charged = (batch: string) => tasksOf(batch).reduce((sum, { cost }) => sum + cost, 0);

describe.each(hostsOr('newest'))('the account of executions in n8n $n8n', (version) => {
	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'account-'));
		sandbox = await startSandbox({ taskMs: 300 });
		host = await createHost(version, {
			userFolder: path.join(folder, 'user'),
			gateway: sandbox,
		});
		await host.start();
		await host.signIn();
	});
	afterAll(async () => {
		await host?.stop();
		await sandbox?.close();
		await rm(folder, { recursive: true, force: true });
	});

	it.each([
		['as it was', false, 5],
		['as it is now, repaired', true, 6],
	])(
		'retries in the list only what is missing, with the workflow %s',
		async (name, isRepaired, paid) => {
			const batch = isRepaired ? 'repaired' : 'retried';
			const id = `account-${batch}`;
			const prompts = ['a', 'b', 'c', 'd', 'e', 'f [fail]'].map((row) => `${batch} ${row}`);
			await start(workflow(id, {}), prompts);
			const [failed] = await endedOf(id, 1);
			expect(failed!.status).toBe('error');
			expect(tasksOf(batch)).toHaveLength(6);

			if (isRepaired) {
				const prompt = '={{ $json.prompt.replace(" [fail]", "") }}';
				await host.importWorkflows([workflow(id, { prompt })]);
			}
			await host.rest('POST', `/executions/${failed!.id}/retry`, { loadWorkflow: isRepaired });
			const [retried] = await endedOf(id, 2);

			expect(retried!.status).toBe(isRepaired ? 'success' : 'error');
			expect(tasksOf(batch)).toHaveLength(7);
			expect(charged(batch)).toBe(paid * PRICE);
			expect((await details(retried!)).customData).toMatchObject({
				gateway_execution: `${failed!.id}, ${retried!.id}`,
				gateway_cost_usd: isRepaired ? '0.0425' : '0',
			});
		},
	);

	it('sends nothing more when 300 rows are stopped, cancels what it has made and names it', async () => {
		Object.assign(sandbox.settings, { taskMs: 600_000, apiLatencyMs: 50 });
		await start(
			workflow('account-stop', { options: { concurrency: 20 } }),
			Array.from({ length: 300 }, (_, row) => `stopped ${row}`),
		);
		await until(() => tasksOf('stopped').length >= 20);
		const [running] = await executionsOf('account-stop');
		await host.rest('POST', `/executions/${running!.id}/stop`);
		await until(() => tasksOf('stopped').every(({ status }) => status === 'cancelled'));
		const made = tasksOf('stopped');

		expect(made.length).toBeLessThan(120);
		const { customData } = await details(running!);
		expect(made.some(({ task_id }) => customData.gateway_task_ids?.includes(task_id))).toBe(true);
		Object.assign(sandbox.settings, { taskMs: 300, apiLatencyMs: 0 });
	});

	it('counts over a loop what tasks have cost, not what they were listed at', async () => {
		const settle = sandbox.settings.settle;
		sandbox.settings.settle = () => 100_000; // $0.20
		const id = 'account-loop';
		const options = { maximumRunCost: 0.3 };
		await start(
			looped(workflow(id, { options })),
			Array.from({ length: 5 }, (_, row) => `looped ${row}`),
		);
		const [ended] = await endedOf(id, 1);
		sandbox.settings.settle = settle;

		// The second task was listed at $0.0425, which the limit still allowed; no third one is made.
		expect(tasksOf('looped')).toHaveLength(2);
		expect((await details(ended!)).customData.gateway_cost_usd).toBe('0.4');
		expect(ended!.status).toBe('success');
	});

	it('shares the limit of an account between five executions at once', async () => {
		sandbox.settings.submissionLimit = { requests: 20, windowMs: 2_000, hasRetryAfter: true };
		const prompts = Array.from({ length: 40 }, (_, row) => `shared ${row}`);
		const startedAt = Date.now();
		await start(workflow('account-shared', { options: { linksOnly: true } }), prompts, 5);
		const ended = await endedOf('account-shared', 5);
		delete sandbox.settings.submissionLimit;

		expect(ended.map(({ status }) => status)).toEqual(Array(5).fill('success'));
		expect(tasksOf('shared')).toHaveLength(200);
		const refused = sandbox.requests.filter(({ at, status }) => at >= startedAt && status === 429);
		// Fewer than one refusal a task; the simulation has the closer bounds.
		expect(refused.length).toBeLessThan(200);
	});
});
