import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, runWorkflow, type EngineOptions } from '../../scripts/engine';
import { packageWith, typeOf } from '../../scripts/package';
import { queue } from '../../nodes/GenerationGatewayTrigger/callbackQueue';
import { forget, isSeen, see } from '../../nodes/GenerationGatewayTrigger/seen';

const AFTER = 'After';
/** A run of the workflow for these tasks, as n8n begins it when a callback has started it. */
async function runFor(trigger: string, tasks: IDataObject[], options: EngineOptions = {}) {
	const node = {
		id: trigger,
		type: typeOf('generationGatewayTrigger'),
		name: 'Trigger',
		credentials: 'generationGatewayApi',
	};
	return await runWorkflow(
		linear(itemsNode(tasks), node, { type: 'n8n-nodes-base.noOp', name: AFTER }),
		{ ...packageWith('http://127.0.0.1:9', 'sandbox-key'), mode: 'webhook', ...options },
	);
}
/** The tasks that such a run has gone on with. */
async function begin(...given: Parameters<typeof runFor>) {
	const run = await runFor(...given);
	return run.executed.includes(AFTER) ? run.json(AFTER).map(({ task_id }) => task_id) : [];
}
/** A trigger that no other test knows. */
const newTrigger = () => randomUUID();
const taskOf = (task_id: string) => ({ task_id, status: 'failed' });

describe('a task that has started the workflow', () => {
	it('starts no other run, also where another process was told of it', async () => {
		const trigger = newTrigger();

		expect(await begin(trigger, [taskOf('task_1')])).toEqual(['task_1']);
		expect(await begin(trigger, [taskOf('task_1')])).toEqual([]);
		expect(await begin(trigger, [taskOf('task_1'), taskOf('task_2')])).toEqual(['task_2']);
	});

	it('is named as the reason where a run ends at the trigger', async () => {
		const trigger = newTrigger();
		const message = 'A task of this callback had already started the workflow';
		const first = await runFor(trigger, [taskOf('task_1')]);
		const runs = [first, await runFor(trigger, [taskOf('task_1')])];

		expect(runs.map((run) => run.hints('Trigger'))).toEqual([
			[],
			[expect.objectContaining({ message })],
		]);
	});

	it('is kept by its own run, which n8n may begin again after a worker died', async () => {
		const trigger = newTrigger();
		const executionId = '17';

		expect(await begin(trigger, [taskOf('task_1')], { executionId })).toEqual(['task_1']);
		expect(await begin(trigger, [taskOf('task_1')], { executionId })).toEqual(['task_1']);
	});

	it.each(['manual', 'retry'] as const)('may start it again by hand: %s', async (mode) => {
		const trigger = newTrigger();
		await begin(trigger, [taskOf('task_1')]);

		expect(await begin(trigger, [taskOf('task_1')], { mode })).toEqual(['task_1']);
	});

	it('is recorded apart for each trigger', async () => {
		const [one, other] = [newTrigger(), newTrigger()];
		await begin(one, [taskOf('task_1')]);

		expect(await begin(other, [taskOf('task_1')])).toEqual(['task_1']);
	});

	it('is not lost from the record by runs that begin at the same time', async () => {
		const trigger = newTrigger();
		const ids = Array.from({ length: 30 }, (_, at) => `task_${at}`);
		await Promise.all(ids.map(async (id) => await begin(trigger, [taskOf(id)])));

		expect((await Promise.all(ids.map((id) => begin(trigger, [taskOf(id)])))).flat()).toEqual([]);
	});

	it('is found among two thousand later ones', async () => {
		const trigger = newTrigger();
		await begin(trigger, [taskOf('task_first')]);
		const later = Array.from({ length: 1_999 }, (_, at) => taskOf(`task_${at}`));
		await begin(trigger, later);

		expect(await begin(trigger, [taskOf('task_first')])).toEqual([]);
	});
});

it.each([
	['webhook', true],
	['manual', false],
	['retry', false],
] as const)('a run of mode %s says that runs begin in this process: %s', async (mode, isHere) => {
	const beginRun = jest.spyOn(queue, 'beginRun');
	await begin(newTrigger(), [taskOf('task_1')], { mode });

	expect(beginRun.mock.calls).toEqual([[expect.any(String), isHere]]);
	beginRun.mockRestore();
});

describe('what this process remembers', () => {
	it('is known at once, and forgotten where n8n could not start the run', () => {
		const trigger = newTrigger();

		expect([see(trigger, 'task_1'), see(trigger, 'task_1')]).toEqual([true, false]);
		forget(trigger, ['task_1']);
		expect(isSeen(trigger, 'task_1')).toBe(false);
	});

	it('is kept apart for each trigger', () => {
		see('one', 'task_1');
		expect(isSeen('other', 'task_1')).toBe(false);
	});
});
