import type { INodeProperties } from 'n8n-workflow';
import { concurrency, fallbackModels, optionsCollection, simplify } from '../../n8n/options';
import {
	choiceParameter,
	numberParameter,
	switchParameter,
	textParameter,
	type Parameter,
} from '../../n8n/parameters';

export const callbackUrl = textParameter({
	name: 'callback_url',
	displayName: 'Callback URL',
	placeholder: 'e.g. https://n8n.example.com/webhook/generation',
	description: 'Webhook that the gateway calls when the task has ended',
});

export const callbackExecution = switchParameter({
	name: 'callbackExecution',
	displayName: 'Call Back This Execution',
	description:
		'Whether the gateway calls this execution when the task has ended, for a Task > Await further on that suspends it',
});

export const callbackEvents: INodeProperties = {
	displayName: 'Callback Events',
	name: 'callback_events',
	type: 'multiOptions',
	options: ['Cancelled', 'Completed', 'Failed'].map((name) => ({
		name,
		value: name.toLowerCase(),
	})),
	default: [],
	description: 'Events to be called for, all when empty',
};

export const download = textParameter({
	name: 'download',
	displayName: 'Download to Field',
	shown: 'data',
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
	description: 'Downloads the results. Further files go to fields with _1, _2 and so on.',
});

export const linksOnly = switchParameter({
	name: 'linksOnly',
	displayName: 'Links Only',
	description:
		'Whether to return links to the results without the files. Most links expire after 24 hours.',
});

export const cancelOnStop = switchParameter({
	name: 'cancelOnStop',
	displayName: 'Cancel Tasks on Stop',
	description: 'Whether a stop of the execution cancels the tasks of this node',
	isOn: true,
});

/** The same for tasks that were made elsewhere, whose IDs are in the input. */
export const cancelAwaitedOnStop = switchParameter({
	name: 'cancelOnStop',
	displayName: 'Cancel Tasks on Stop',
	description: 'Whether a stop of the execution cancels the tasks',
});

export const dryRun = switchParameter({
	name: 'dryRun',
	displayName: 'Dry Run',
	description: 'Whether to only check the request and estimate its cost',
});

export const idempotencyKey = textParameter({
	name: 'idempotencyKey',
	displayName: 'Idempotency Key',
	placeholder: 'e.g. {{ $json.row_id }}-image',
	description:
		'The same key within 24 hours gives the same task, in any execution and node. Made of execution, item and request when empty.',
});

export const reuseEqualRequests = switchParameter({
	name: 'reuseEqualRequests',
	displayName: 'Reuse Equal Requests',
	description:
		'Whether a request equal to one of the last 24 hours gets its task instead of a new one',
});

export const repeatEqualCalls: Parameter<boolean> = switchParameter({
	name: 'repeatEqualCalls',
	displayName: 'Repeat Equal Calls',
	description: 'Whether an equal call of the agent makes and bills a new task',
});

/** The node as a tool has the switch; elsewhere there are no calls. */
const whileTool = <T>(parameter: Parameter<T>): Parameter<T> => ({
	...parameter,
	property: { ...parameter.property, displayOptions: { show: { '@tool': [true] } } },
});

export const maximumCost = numberParameter({
	name: 'maximumCost',
	displayName: 'Max Cost per Item ($)',
	description: 'A task that costs more than this is not sent',
	min: 0,
	shown: 1,
	fallback: undefined,
});

export const maximumRunCost = numberParameter({
	name: 'maximumRunCost',
	displayName: 'Max Cost per Execution ($)',
	description:
		'Tasks that would take this node above this in one execution are not sent. The runs of a loop count together.',
	min: 0,
	shown: 10,
	fallback: undefined,
});

export const unknownPrice = choiceParameter({
	name: 'unknownPrice',
	displayName: 'Unknown Price',
	options: [
		{ name: 'Do Not Send', value: 'refuse' },
		{ name: 'Send', value: 'send' },
	],
	fallback: 'refuse',
	description:
		'What to do under a cost limit when no price is stated. Such tasks go one after another.',
});

export const omitUnsupported = switchParameter({
	name: 'omitUnsupported',
	displayName: 'Omit Unsupported Fields',
	description: 'Whether a fallback model may run without the fields that it does not take',
});

export const pollInterval = numberParameter({
	name: 'pollInterval',
	displayName: 'Max Poll Interval (Seconds)',
	description: 'Longest time between two polls',
	min: 1,
	shown: 10,
	fallback: 10,
});

export const timeout = numberParameter({
	name: 'timeout',
	displayName: 'Max Wait (Seconds)',
	description: 'After this time the item goes on with the last known state of its task',
	min: 0,
	shown: 1200,
	fallback: 1200,
});

/** Shows an option only while the operation itself waits for the task. */
const whileWaiting = <T>(parameter: Parameter<T>, wait: string, value: string): Parameter<T> => ({
	...parameter,
	property: { ...parameter.property, displayOptions: { show: { [`/${wait}`]: [value] } } },
});

const afterDownload = [
	maximumCost,
	maximumRunCost,
	unknownPrice,
	dryRun,
	idempotencyKey,
	reuseEqualRequests,
	whileTool(repeatEqualCalls),
	fallbackModels,
	omitUnsupported,
	whileWaiting(timeout, 'wait', 'poll'),
	whileWaiting(pollInterval, 'wait', 'poll'),
	cancelOnStop,
	concurrency,
	callbackUrl,
	callbackEvents,
	callbackExecution,
	simplify,
];

/** The options of every operation that submits a task, beside the model's own fields. */
export const submitOptions = optionsCollection([download, ...afterDownload]);
/** The same for a panel, which downloads without an option. */
export const panelOptions = optionsCollection([download, linksOnly, ...afterDownload]);

export const awaitOptions = optionsCollection([
	download,
	whileWaiting(timeout, 'waitBy', 'poll'),
	whileWaiting(pollInterval, 'waitBy', 'poll'),
	cancelAwaitedOnStop,
	concurrency,
	simplify,
]);

export const getOptions = optionsCollection([download, concurrency, simplify]);
export const cancelOptions = optionsCollection([concurrency, simplify]);

/** `poll` keeps the item until its task has ended; `none` lets it go on with the task's ID. */
export const waitParameter = (fallback: 'none' | 'poll') =>
	choiceParameter({
		name: 'wait',
		displayName: 'Wait',
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
		fallback,
		description: 'Whether to wait for the result',
	});

export const taskId: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.task_id }}',
	description: 'ID of the task. An expression may give a list of IDs.',
};
