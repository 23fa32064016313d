import { callTrigger, linear } from '../../scripts/engine';
import { json, useStubGateway } from '../support/stubGateway';
import { callbackFor, triggerNode } from '../support/useTrigger';

const stub = useStubGateway();

const task = { task_id: 'upstream_9', model: 'imgn-4.0', status: 'completed', cost: 0 };

it('a gateway that names a task otherwise does not change the ID by which it is known', async () => {
	stub.answer = (response) => json(response, task);
	const { run } = await callTrigger(
		linear(triggerNode({}), { type: 'n8n-nodes-base.noOp', name: 'After' }),
		callbackFor('task_1'),
		stub.options(),
	);

	expect(run?.json('After')).toMatchObject([{ task_id: 'task_1', status: 'completed' }]);
});

it('a task within data is read as it is', async () => {
	stub.answer = (response) => json(response, { data: task });
	const { run } = await callTrigger(
		linear(triggerNode({}), { type: 'n8n-nodes-base.noOp', name: 'After' }),
		callbackFor('task_2'),
		stub.options(),
	);

	expect(run?.json('After')).toMatchObject([{ model: 'imgn-4.0', status: 'completed' }]);
});
