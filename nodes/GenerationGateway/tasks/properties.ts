import type { INodeProperties } from 'n8n-workflow';
import { concurrency, number, optionsCollection, simplify, toggle } from '../../n8n/options';

const callbackUrl: INodeProperties = {
	displayName: 'Callback URL',
	name: 'callback_url',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://n8n.example.com/webhook/generation',
	description: 'Webhook that the gateway calls when the task has ended',
};
const callbackExecution = toggle(
	'Call Back This Execution',
	'callbackExecution',
	'Whether the gateway calls this execution when the task has ended. For Task > Await, which can then suspend the execution.',
);
const callbackEvents: INodeProperties = {
	displayName: 'Callback Events',
	name: 'callback_events',
	type: 'multiOptions',
	options: ['Cancelled', 'Completed', 'Failed'].map((name) => ({
		name,
		value: name.toLowerCase(),
	})),
	default: [],
	description: 'Events to be called for. All of them when empty.',
};
export const download: INodeProperties = {
	displayName: 'Download to Field',
	name: 'download',
	type: 'string',
	default: 'data',
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
	description: 'Downloads the results. Further files of a task go to fields with _1, _2 and so on.',
};
const cancelOnStop = toggle(
	'Cancel Tasks on Stop',
	'cancelOnStop',
	'Whether stopping the execution cancels its unfinished tasks at the gateway, which refunds them',
);
const dryRun = toggle(
	'Dry Run',
	'dryRun',
	'Whether to only check the request and estimate its cost, without sending it',
);
const idempotencyKey: INodeProperties = {
	displayName: 'Idempotency Key',
	name: 'idempotencyKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.row_id }}-image',
	description:
		'The same key within 24 hours gives the same task, also across executions and nodes, so name the kind of output in it. When empty, a key is made of the execution, the item and the request.',
};
const maximumCost = number(
	'Maximum Cost per Item (USD)',
	'maximumCost',
	'A task estimated above this is not sent',
	1,
);
const maximumRunCost = number(
	'Maximum Cost per Run (USD)',
	'maximumRunCost',
	'Tasks that would take all items together above this are not sent',
	10,
);
const unknownPrice: INodeProperties = {
	displayName: 'Unknown Price',
	name: 'unknownPrice',
	type: 'options',
	options: [
		{ name: 'Do Not Send', value: 'refuse' },
		{ name: 'Send', value: 'send' },
	],
	default: 'refuse',
	description: 'What to do under a maximum cost when no price is stated for the task',
};
const pollInterval = number(
	'Longest Poll Interval (Seconds)',
	'pollInterval',
	'The node looks more often while a task is young or nearly done, and never less often than this',
	10,
	1,
);
const timeout = number(
	'Wait at Most (Seconds)',
	'timeout',
	'After this time the item goes on with the last known state of its task',
	1200,
	1,
);

/** What every way to submit a task can be told beside the model's own fields. */
export const submitOptions = optionsCollection([
	callbackExecution,
	cancelOnStop,
	callbackEvents,
	callbackUrl,
	concurrency,
	download,
	dryRun,
	idempotencyKey,
	pollInterval,
	maximumCost,
	maximumRunCost,
	simplify,
	unknownPrice,
	timeout,
]);
export const awaitOptions = optionsCollection([
	cancelOnStop,
	concurrency,
	download,
	pollInterval,
	simplify,
	timeout,
]);
export const getOptions = optionsCollection([concurrency, download, simplify]);
export const cancelOptions = optionsCollection([concurrency, simplify]);

/** `poll` keeps the item until its task has ended; `none` lets it go on with the task's ID. */
export const waitFor = (byDefault: 'none' | 'poll'): INodeProperties => ({
	displayName: 'Wait',
	name: 'wait',
	type: 'options',
	options: [
		{
			name: 'Until the Task Has Ended',
			value: 'poll',
			description: 'All items are awaited together',
		},
		{
			name: 'Do Not Wait',
			value: 'none',
			description: 'Returns the task ID; use Task > Await later',
		},
	],
	default: byDefault,
	description: 'Whether to wait for the result',
});

export const taskId: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.task_id }}',
	description: 'ID of the task, as a submission returns it. An expression may give a list of IDs.',
};
