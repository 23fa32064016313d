import { Expression } from 'n8n-workflow';
import { itemsNode, linear } from '../../scripts/engine';
import { EngineCredentials } from '../../scripts/engine/credentials';
import { holdOwnChecks } from '../support/ownChecks';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { useInstance } from '../support/useInstance';

const gateway = useGateway({
	taskMs: Infinity,
	callbackRetry: { attempts: 6, delayMs: 60, timeoutMs: 5_000 },
});
const instance = useInstance();
// A check of an execution that an earlier test has left would take the answers that are meant for this one.
beforeEach(() => void holdOwnChecks());
afterEach(() => jest.restoreAllMocks());

/** Suspends an execution for three tasks. */
async function suspend() {
	const submit = gatewayNode(
		'task:submit',
		{
			model: modelId('imgn-4.0'),
			parameters: '={{ { prompt: "row " + $json.row } }}',
			options: { callbackExecution: true },
		},
		{ name: 'Submit' },
	);
	const workflow = linear(
		itemsNode([{ row: 0 }, { row: 1 }, { row: 2 }]),
		submit,
		gatewayNode('task:await', { taskId: '={{ $json.task_id }}', waitBy: 'suspend' }),
	);
	return await instance.run(workflow, gateway.options());
}

const deliveriesOf = (index: number) =>
	gateway.sandbox.tasks()[index]!.deliveries.map(({ status }) => status);

describe('a callback to an execution that this process has suspended', () => {
	it('reads neither its items nor its credential while a task runs', async () => {
		await suspend();
		const evaluations = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
		const credentials = jest.spyOn(EngineCredentials.prototype, 'getDecrypted');
		await gateway.sandbox.finish(gateway.sandbox.tasks()[0]!.task_id);

		expect(deliveriesOf(0)).toEqual([200]);
		expect(evaluations.mock.calls.filter(([value]) => String(value).startsWith('='))).toEqual([]);
		expect(credentials).not.toHaveBeenCalled();
	});

	it('polls once more for all that come during a poll', async () => {
		await suspend();
		const link = String(gateway.sandbox.tasks()[0]!.body.callback_url);
		const before = gateway.sandbox.requests.length;
		const statuses = await Promise.all(
			Array.from({ length: 20 }, async () => (await fetch(link, { method: 'POST' })).status),
		);

		expect(new Set(statuses)).toEqual(new Set([200]));
		expect(gateway.sandbox.requests.length - before).toBeLessThanOrEqual(10);
	});

	it.each([
		['this one', 0, 200],
		['an earlier one', undefined, 410],
	])('tells a check for %s whether the execution waits', async (_name, index, status) => {
		await suspend();
		const link = String(gateway.sandbox.tasks()[0]!.body.callback_url);
		const suspendedFor =
			index === undefined ? 'task_earlier' : gateway.sandbox.tasks()[index]!.task_id;
		const response = await fetch(link, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ suspendedFor }),
		});

		expect(response.status).toBe(status);
	});

	it('is answered where its body is null', async () => {
		await suspend();
		const link = String(gateway.sandbox.tasks()[0]!.body.callback_url);
		const headers = { 'content-type': 'application/json' };

		expect((await fetch(link, { method: 'POST', headers, body: 'null' })).status).toBe(200);
	});

	it('reads the items once, when the execution goes on', async () => {
		const suspended = await suspend();
		const evaluations = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
		for (const { task_id } of gateway.sandbox.tasks()) await gateway.sandbox.finish(task_id);
		const run = await instance.waitForEnd(suspended.executionId);

		expect(run.json(NODE)).toHaveLength(3);
		const reads = evaluations.mock.calls.filter(([value]) =>
			String(value).includes('$input.all()'),
		);
		expect(reads).toHaveLength(1);
	});

	it('reads the credential again when its key has been replaced', async () => {
		const suspended = await suspend();
		const [first] = gateway.sandbox.tasks();
		gateway.sandbox.faults.add({
			match: { method: 'GET', path: /^\/v1\/tasks\// },
			times: 3,
			kind: { status: 401 },
		});
		const credentials = jest.spyOn(EngineCredentials.prototype, 'getDecrypted');
		await gateway.sandbox.finish(first!.task_id);

		expect(deliveriesOf(0)).toEqual([503, 200]);
		const refused = gateway.sandbox.requests.filter(({ status }) => status === 401);
		expect(refused).toHaveLength(3);
		expect(credentials).toHaveBeenCalled();
		for (const { task_id } of gateway.sandbox.tasks().slice(1))
			await gateway.sandbox.finish(task_id);
		expect((await instance.waitForEnd(suspended.executionId)).status).toBe('success');
	});
});

it('does not go on with the copy of a credential that n8n does not have any more', async () => {
	const suspended = await suspend();
	const reading = jest
		.spyOn(EngineCredentials.prototype, 'getDecrypted')
		.mockRejectedValue(new Error('Credential with ID "1" does not exist'));
	for (const { task_id } of gateway.sandbox.tasks()) await gateway.sandbox.finish(task_id);

	expect(new Set(deliveriesOf(2))).toEqual(new Set([503]));
	expect((await instance.latest(suspended.executionId)).status).toBe('waiting');
	reading.mockRestore();
	const link = String(gateway.sandbox.tasks()[0]!.body.callback_url);
	expect((await fetch(link, { method: 'POST' })).status).toBe(200);
	expect((await instance.waitForEnd(suspended.executionId)).status).toBe('success');
});
