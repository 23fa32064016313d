import v8 from 'node:v8';
import vm from 'node:vm';
import { linear, runWorkflow, type NodeSpec, type WorkflowJson } from '../../scripts/engine';
import { gatewayNode, modelId, useGateway } from '../support/gateway';
import { SINGLE } from '../support/operations';

const EXECUTIONS = 20;
/** Of the input of each. */
const KILOBYTES = 1_000;
const gateway = useGateway();

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as () => void;

async function heapKilobytes(): Promise<number> {
	for (let times = 0; times < 4; times += 1) {
		collectGarbage();
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	return process.memoryUsage().heapUsed / 1024;
}

async function runMany(count: number, workflow: WorkflowJson): Promise<void> {
	for (let at = 0; at < count; at += 1) {
		const json = { text: Buffer.alloc(KILOBYTES * 1024, String(at % 10)).toString() };
		const run = await runWorkflow(
			{ ...workflow, pinData: { Start: [{ json }] } },
			gateway.options(),
		);
		expect(['success', 'waiting']).toContain(run.status);
	}
}

const model = modelId('imgn-4.0');
const submit = gatewayNode(
	'task:submit',
	{ model, parameters: { prompt: 'a kite' }, options: { callbackExecution: true } },
	{ name: 'Submit' },
);
const start = { type: 'n8n-nodes-base.manualTrigger', name: 'Start' };
const suspend = gatewayNode('task:await', { taskId: '={{ $json.task_id }}', waitBy: 'suspend' });

it.each([
	...Object.entries(SINGLE).map(([name, parameters]): [string, object, WorkflowJson] => [
		`of ${name}`,
		{ taskMs: 10 },
		linear(start, { ...submit, parameters: parameters as NodeSpec['parameters'] }),
	]),
	['of tasks that nobody waits for', { taskMs: Infinity }, linear(start, submit)],
	[
		'that are suspended where they submit, but for the newest',
		{ taskMs: Infinity },
		linear(start, gatewayNode('image:generate', { model, prompt: 'a kite', wait: 'suspend' })),
	],
	['that are suspended, but for the newest', { taskMs: Infinity }, linear(start, submit, suspend)],
])('nothing is held of executions %s', async (_name, settings, workflow) => {
	Object.assign(gateway.sandbox.settings, settings);
	await runMany(3, workflow);
	const before = await heapKilobytes();
	await runMany(EXECUTIONS, workflow);
	const most = before + (EXECUTIONS * KILOBYTES) / 2;
	let after = await heapKilobytes();
	// A busy machine frees some of it late.
	for (let tries = 0; after >= most && tries < 50; tries += 1) after = await heapKilobytes();

	expect(after).toBeLessThan(most);
});
