import type { IExecuteFunctions } from 'n8n-workflow';
import {
	readCalledBack,
	recordCalledBack,
} from '../../../nodes/GenerationGateway/suspend/resumeLink';

it('keeps the last thousand tasks that call back, so that an endless loop does not grow', () => {
	const flow = {};
	const context = {
		getExecutionId: () => '7',
		getContext: () => flow,
	} as unknown as IExecuteFunctions;
	for (let turn = 0; turn < 1_002; turn += 1) recordCalledBack(context, `task_${turn}`);

	const kept = [...readCalledBack(context)];
	expect([kept.length, kept[0], kept.at(-1)]).toEqual([1_000, 'task_2', 'task_1001']);
});
