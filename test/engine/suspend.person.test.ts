import {
	itemsNode,
	linear,
	startInstance,
	type EngineRun,
	type Instance,
	type NodeSpec,
} from '../../scripts/engine';
import type { SuspendedItem } from '../../nodes/GenerationGateway/suspend/storedSuspension';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { holdOwnChecks, type OwnChecks } from '../support/ownChecks';
import { delay } from '../support/useSandbox';

const gateway = useGateway({
	taskMs: Infinity,
	callbackRetry: { attempts: 3, delayMs: 50, timeoutMs: 5_000 },
});
const PUBLISH = 'Publish';
let instance: Instance;
let checks: OwnChecks;
beforeAll(async () => (instance = await startInstance()));
afterAll(async () => await instance.close());
beforeEach(() => (checks = holdOwnChecks()));
afterEach(() => jest.restoreAllMocks());

const submit = gatewayNode(
	'task:submit',
	{
		model: modelId('imgn-4.0'),
		parameters: '{ "prompt": "a kite" }',
		options: { callbackExecution: true },
	},
	{ name: 'Submit' },
);
const awaitTask = gatewayNode(
	'task:await',
	{ taskId: '={{ $("Submit").item.json.task_id }}', waitBy: 'suspend' },
	{ name: 'Await' },
);
/** A step that somebody has to confirm by calling the resume link. */
const person = (name: string, httpMethod = 'POST'): NodeSpec => ({
	type: 'n8n-nodes-base.wait',
	name,
	typeVersion: 1.1,
	webhookId: name,
	parameters: { resume: 'webhook', httpMethod, options: {} },
});
const publish: NodeSpec = { type: 'n8n-nodes-base.noOp', name: PUBLISH };

const start = async (...steps: NodeSpec[]) =>
	await instance.run(linear(itemsNode([{}]), submit, ...steps, publish), gateway.options());

const waitsAt = async (executionId: string): Promise<string | undefined> =>
	(await instance.latest(executionId)).run.data.resultData.lastNodeExecuted;
/** Waits until the execution is suspended at a node, or has ended. */
async function untilAt(executionId: string, node: string): Promise<void> {
	for (let tries = 0; tries < 500 && (await waitsAt(executionId)) !== node; tries += 1)
		await delay(10);
	expect(await waitsAt(executionId)).toBe(node);
}
const linkOf = () => String(gateway.sandbox.tasks()[0]!.body.callback_url);
const finish = async () => await gateway.sandbox.finish(gateway.sandbox.tasks()[0]!.task_id);
const post = async (url: string, method = 'POST') => (await fetch(url, { method })).status;
/** What the person is sent. */
const personLink = ({ run, executionId }: EngineRun) =>
	`${instance.baseUrl}/webhook-waiting/${executionId}?signature=${run.data.resumeToken}`;

describe('a step that waits for a person', () => {
	it.each(['POST', 'GET'])(
		'after the await is passed by nobody else: not by own checks, not by callbacks (%s)',
		async (method) => {
			const { executionId } = await start(
				awaitTask,
				person('Approve', method),
				person('Approve Again', method),
			);
			await finish();
			await untilAt(executionId, 'Approve');
			await checks.run(6);
			await post(linkOf());
			await post(linkOf(), 'GET');
			expect(await waitsAt(executionId)).toBe('Approve');

			const link = personLink(await instance.latest(executionId));
			expect(await post(link, method)).toBe(200);
			await untilAt(executionId, 'Approve Again');
			await checks.run(6);
			await post(linkOf());
			expect(await waitsAt(executionId)).toBe('Approve Again');

			expect(await post(link, method)).toBe(200);
			expect((await instance.waitForEnd(executionId)).executed).toContain(PUBLISH);
		},
	);

	it('before the await is not passed by the callback, which the await needs no more', async () => {
		const { executionId } = await start(person('Approve'), awaitTask);
		await finish();
		await post(linkOf());
		await checks.run(3);
		expect(await waitsAt(executionId)).toBe('Approve');

		expect(await post(personLink(await instance.latest(executionId)))).toBe(200);
		expect((await instance.waitForEnd(executionId)).json(PUBLISH)).toHaveLength(1);
	});

	it('is no reason to go on with the own checks', async () => {
		const { executionId } = await start(awaitTask, person('Approve'));
		await finish();
		await untilAt(executionId, 'Approve');
		await checks.run(3);

		expect(checks.count()).toBe(0);
	});
});

it('between two awaits, each goes on for its own tasks, and the checks of both end', async () => {
	const second = { ...submit, name: 'Submit Again' };
	const awaitSecond = gatewayNode(
		'task:await',
		{ taskId: '={{ $("Submit Again").item.json.task_id }}', waitBy: 'suspend' },
		{ name: 'Await Again' },
	);
	const { executionId } = await start(awaitTask, second, awaitSecond);
	await finish();
	await untilAt(executionId, 'Await Again');
	await checks.run(2);
	await post(linkOf());
	expect(await waitsAt(executionId)).toBe('Await Again');
	await gateway.sandbox.finish(gateway.sandbox.tasks()[1]!.task_id);
	const run = await instance.waitForEnd(executionId);
	await checks.run(3);

	expect(run.json(PUBLISH)).toEqual([expect.objectContaining({ status: 'completed' })]);
	expect(checks.count()).toBe(0);
});

describe('an await that another execution has submitted for', () => {
	it('says in a hint that no callback will come', async () => {
		const { data } = await gateway.submit({ model: 'imgn-4.0', prompt: 'a kite' });
		const awaitOther = gatewayNode('task:await', { taskId: data.task_id, waitBy: 'suspend' });
		const json = linear(itemsNode([{}]), awaitOther, publish);
		const suspended = await instance.run(json, gateway.options());

		expect(suspended.hints(NODE)).toEqual([
			expect.objectContaining({ message: expect.stringContaining('No callback will come') }),
		]);
	});

	it.each(['with', 'without', 'other'])(
		'says so of a task submitted without Call Back This Execution, beside one submitted with it: %s',
		async (awaited) => {
			const submitWith = (name: string, options: object): NodeSpec => ({
				...submit,
				name,
				parameters: { ...submit.parameters, options } as NodeSpec['parameters'],
			});
			const json = linear(
				itemsNode([{}]),
				{ ...submit, name: 'with' },
				submitWith('without', {}),
				submitWith('other', { callback_url: 'https://example.com/hook' }),
				gatewayNode('task:await', {
					taskId: `={{ $("${awaited}").item.json.task_id }}`,
					waitBy: 'suspend',
				}),
			);
			const suspended = await instance.run(json, gateway.options());

			const hints = suspended.hints(NODE).map(({ message }) => message);
			expect(hints.some((message) => message.includes('No callback will come'))).toBe(
				awaited !== 'with',
			);
			const [items] = suspended.run.data.executionData!.nodeExecutionStack[0]!.data.main!;
			const stored = items![0]!.pairedItem as Pick<SuspendedItem, 'suspended'>;
			expect(stored.suspended!.period!.isCalledBack).toBe(awaited === 'with');
		},
	);

	it('says nothing where the execution is called back', async () => {
		expect((await start(awaitTask)).hints('Await')).toEqual([]);
	});
});
