import type { IDataObject } from 'n8n-workflow';
import { callTrigger, linear } from '../../scripts/engine';
import { json, useStubGateway } from '../support/stubGateway';
import { callbackFor, triggerNode } from '../support/useTrigger';

const stub = useStubGateway();
const task = { task_id: 'upstream_9', model: 'imgn-4.0', status: 'completed', cost: 0 };

/** What the workflow gets for a callback of this task, where the gateway answers like this. */
async function itemsOf(id: string, answer: IDataObject) {
	stub.answer = (response) => json(response, answer);
	const flow = linear(triggerNode({}), { type: 'n8n-nodes-base.noOp', name: 'After' });
	const { run } = await callTrigger(flow, callbackFor(id), stub.options());
	return run?.json('After');
}

it('a gateway that names a task otherwise does not change the ID by which it is known', async () => {
	expect(await itemsOf('task_1', task)).toMatchObject([{ task_id: 'task_1', status: 'completed' }]);
});

it('a task within data is read as it is', async () => {
	const items = await itemsOf('task_2', { data: task });

	expect(items).toMatchObject([{ model: 'imgn-4.0', status: 'completed' }]);
});
