import { useSuspendedNode } from '../../support/suspendedNode';

const node = useSuspendedNode();

it('calls the link now and then, and goes on while the execution waits', async () => {
	node.suspend(200, true, ['task_3']);
	await node.pass(300);

	expect(node.calledAt).toEqual([3, 12, 39, 120]);
	expect(node.cancelled).toEqual([]);
});

it('calls it as seldom where the tasks are polled often', async () => {
	node.suspend(200, false, ['task_3']);
	await node.pass(300);

	expect(node.calledAt.length).toBeGreaterThanOrEqual(4);
	expect(node.calledAt.length).toBeLessThanOrEqual(5);
});

it.each([
	['has ended with an error', 409, 'The execution "1" has finished with error.'],
	['was deleted', 404, 'The execution "1" does not exist.'],
])('cancels them when n8n says that the execution %s', async (_what, answer, message) => {
	node.conflict = message;
	node.suspend(answer, true, ['task_3', 'task_7']);
	await node.pass(5);

	expect(node.cancelled).toEqual(['task_3', 'task_7']);
	expect(node.onOver).toHaveBeenCalledTimes(1);
});

it('leaves them alone when the execution went on at the end of its time and failed later', async () => {
	node.suspend(200, true, ['task_3']);
	await node.pass(3_430);
	node.status = 409;
	node.conflict = 'The execution "1" has finished with error.';
	await node.pass(600);

	expect(node.cancelled).toEqual([]);
	expect(node.onOver).toHaveBeenCalledTimes(1);
});

it('has seen the end of all, and so their costs, where another process has let the execution go on', async () => {
	node.setStates('failed');
	node.conflict = 'The execution "1" has finished already.';
	node.suspend(409, true, ['task_3']);
	await node.pass(40);

	expect(node.onOver).toHaveBeenCalledTimes(1);
	expect(new Set(node.polled).size).toBe(25);
});

it('leaves them alone when the execution has gone on', async () => {
	node.suspend(409, true, ['task_3']);
	await node.pass(300);

	expect(node.cancelled).toEqual([]);
	expect(node.onOver).toHaveBeenCalledTimes(1);
});

it.each(['processing', 'completed'])(
	'calls it as seldom where n8n cannot answer for long, and a task is %s',
	async (state) => {
		node.setStates(state);
		node.suspend(503, true, ['task_3']);
		await node.pass(3_000);

		expect(node.calledAt.length).toBeLessThanOrEqual(10);
	},
);

it('looks again before it cancels where n8n has deleted the execution and the gateway does not answer', async () => {
	node.conflict = 'The execution "1" does not exist.';
	node.during.poll = () => {
		throw new Error('away');
	};
	node.suspend(404, true, ['task_3']);
	await node.pass(5);
	expect([node.cancelled, node.onOver.mock.calls.length]).toEqual([[], 0]);
	node.during.poll = undefined;
	await node.pass(600);

	expect(node.cancelled).toEqual(['task_3']);
	expect(node.onOver).toHaveBeenCalledTimes(1);
});

it('says in the log why it cancels the tasks of an execution that was deleted, unless it is stopped', async () => {
	node.conflict = 'The execution "1" does not exist.';
	node.suspend(404, true, ['task_3']);
	await node.pass(5);
	expect(node.warn.mock.calls).toEqual([[expect.stringContaining('nobody has deleted it')]]);

	node.during.poll = node.suspend(404, true, ['task_7']);
	await node.pass(300);
	expect(node.cancelled).toEqual(['task_3']);
	expect(node.onOver).toHaveBeenCalledTimes(1);
});

it('leaves them alone when the execution has gone on, and n8n does not keep it', async () => {
	node.setStates('completed');
	node.conflict = 'The execution "1" does not exist.';
	node.suspend(404, true, ['task_3']);
	await node.pass(300);

	expect(node.cancelled).toEqual([]);
	expect(node.onOver).toHaveBeenCalledTimes(1);
});
