import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { LINK_DAYS } from '../../n8n/binary/signedLink';
import {
	concurrency,
	fallbackModels,
	includeInput,
	IS_ADDED,
	offerLater,
	offerWhen,
	optionsCollection,
	simplify,
	type Option,
} from '../../n8n/options';
import {
	choiceParameter,
	numberParameter,
	switchParameter,
	textParameter,
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
		'Whether the task calls this execution when it has ended, for a later Task > Await that suspends it',
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
	description: 'All when empty',
};

/** `links` leaves the files at the gateway; `files` leaves out the links, which expire. */
export const output = choiceParameter<'both' | 'files' | 'links', undefined>({
	name: 'output',
	displayName: 'Output',
	options: [
		{ name: 'Both', value: 'both' },
		{ name: 'Files', value: 'files', description: 'In a binary field' },
		{ name: 'Links', value: 'links', description: 'Most expire after 24 hours' },
	],
	shown: 'files',
	fallback: undefined,
	description: 'How to return the results',
});

export const download = textParameter({
	name: 'download',
	displayName: 'Output Field Name',
	shown: 'data',
	description: 'Binary field of the file; further files go to _1, _2 and so on',
});

export const linkDays = numberParameter({
	name: 'linkDays',
	displayName: 'Lasting Links (Days)',
	description:
		'Adds file_urls: links to the files in n8n that work for this many days, without a login',
	min: 1,
	max: 3_650,
	isInteger: true,
	shown: LINK_DAYS,
	fallback: undefined,
});

export const gallery = switchParameter({
	name: 'gallery',
	displayName: 'Show Gallery',
	description: 'Whether the output panel shows the first results as pictures',
	isOn: true,
});

export const markAsAi = switchParameter({
	name: 'markAsAi',
	displayName: 'Mark as Made by AI',
	description:
		'Whether to write into JPEG, PNG, WebP and MP4 files that they are made by AI, with model, task and time',
});

export const cancelOnStop = switchParameter({
	name: 'cancelOnStop',
	displayName: 'Cancel Tasks on Stop',
	description: 'Whether a stop of the execution cancels the tasks of this node',
	isOn: true,
});

/** For tasks that were made elsewhere. */
export const cancelAwaitedOnStop = switchParameter({
	name: 'cancelOnStop',
	displayName: 'Cancel Tasks on Stop',
	description: 'Whether a stop of the execution cancels the tasks',
});

export const dryRun = switchParameter({
	name: 'dryRun',
	displayName: 'Check Price Only',
	description: 'Whether to only check the request and estimate its cost',
});

export const idempotencyKey = textParameter({
	name: 'idempotencyKey',
	displayName: 'Idempotency Key',
	placeholder: 'e.g. {{ $json.row_id }}-image',
	description: 'The same key within 24 hours gives the same task, in any execution and node',
});

/** Default: the next execution makes a new task, and equal calls of an agent share one. */
export const ifAlreadyMade = choiceParameter<'key' | 'make' | 'reuse', undefined>({
	name: 'ifAlreadyMade',
	displayName: 'If Already Made',
	options: [
		{ name: 'Make Again', value: 'make' },
		{ name: 'Match by Key', value: 'key', description: 'Add the option Idempotency Key as well' },
		{ name: 'Use It', value: 'reuse', description: 'An equal request of the last 24 hours' },
	],
	shown: 'reuse',
	fallback: undefined,
	description: 'What to do with a request that an earlier execution has made',
});

export const maximumCost = numberParameter({
	name: 'maximumCost',
	displayName: 'Cost Limit per Item ($)',
	description: 'What costs more than this is not sent',
	min: 0,
	shown: 1,
	fallback: undefined,
});

export const maximumRunCost = numberParameter({
	name: 'maximumRunCost',
	displayName: 'Cost Limit per Execution ($)',
	description:
		'What would take the node above this is not sent. The runs of a loop count together.',
	min: 0,
	shown: 10,
	fallback: undefined,
});

export const maximumDailyCost = numberParameter({
	name: 'maximumDailyCost',
	displayName: 'Cost Limit per Day ($)',
	description:
		'What would take the account above this is not sent. Counts all executions since midnight UTC, in this n8n process only; of text and audio those with a cost limit.',
	min: 0,
	shown: 10,
	fallback: undefined,
});

export const unknownPrice = choiceParameter({
	name: 'unknownPrice',
	displayName: 'Cost If Price Is Unknown',
	options: [
		{ name: 'Do Not Send', value: 'refuse' },
		{ name: 'Send', value: 'send' },
	],
	fallback: 'refuse',
	description: 'What to do under a cost limit where no price is stated',
});

export const omitUnsupported = switchParameter({
	name: 'omitUnsupported',
	displayName: 'Fallback Omits Unsupported Fields',
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

const UNTIL_DONE = ['poll'];
const WAITS = [{ _cnd: { not: 'none' } }];

/** `wait` is the name of the parameter. */
const waiting = (wait: string) => [
	offerWhen(timeout, { show: { [`/${wait}`]: UNTIL_DONE } }),
	offerLater(pollInterval, { [`/${wait}`]: UNTIL_DONE }),
];

const fileOptions = (show?: Parameters<typeof offerLater>[1]) =>
	[download, linkDays, markAsAi, gallery].map((option) => offerLater(option, show));

const asItIs = (option: Option) => option;

/** Cost If Price Is Unknown is offered once, whichever limits are added. `offer`: how the first two are. */
export const costLimits = (offer: (option: Option) => Option = asItIs) => [
	offer(maximumCost),
	offer(maximumRunCost),
	offerLater(maximumDailyCost),
	offerWhen(unknownPrice, { show: { maximumCost: IS_ADDED } }),
	offerWhen(unknownPrice, { show: { maximumRunCost: IS_ADDED }, hide: { maximumCost: IS_ADDED } }),
	offerWhen(unknownPrice, {
		show: { maximumDailyCost: IS_ADDED },
		hide: { maximumCost: IS_ADDED, maximumRunCost: IS_ADDED },
	}),
];

/** Of every operation that submits a task. */
export const submitOptions = optionsCollection([
	offerWhen(callbackUrl, { show: { '/wait': ['none'] } }),
	offerLater(callbackUrl, { '/wait': WAITS }),
	offerWhen(callbackEvents, { show: { callback_url: IS_ADDED } }),
	offerWhen(callbackExecution, { show: { '/wait': ['none'] } }),
	dryRun,
	concurrency,
	...costLimits(),
	fallbackModels,
	offerWhen(omitUnsupported, { show: { fallbackModels: IS_ADDED } }),
	ifAlreadyMade,
	offerLater(idempotencyKey),
	includeInput,
	...waiting('wait'),
	offerLater(cancelOnStop),
	offerWhen(output, { hide: { '/wait': ['none'] } }),
	...fileOptions({ '/wait': WAITS }),
	simplify,
]);

export const awaitOptions = optionsCollection([
	output,
	...fileOptions(),
	...waiting('waitBy'),
	cancelAwaitedOnStop,
	concurrency,
	includeInput,
	simplify,
]);

export const getOptions = optionsCollection([
	output,
	...fileOptions(),
	concurrency,
	includeInput,
	simplify,
]);
export const cancelOptions = optionsCollection([concurrency, includeInput, simplify]);

const waits: (INodePropertyOptions & { value: Wait })[] = [
	{ name: 'Until Done', value: 'poll' },
	{ name: 'Do Not Wait', value: 'none', description: 'Returns the task ID' },
];
const withoutWorker: (typeof waits)[number] = {
	name: 'Until Done, Without a Worker',
	value: 'suspend',
	description:
		'Suspends the execution, for long videos. The gateway must reach this n8n. A sub-workflow waits in the node.',
};
export type Wait = 'none' | 'poll' | 'suspend';

export const waitParameter = (fallback: Wait, options = [...waits, withoutWorker]) =>
	choiceParameter<Wait>({
		name: 'wait',
		displayName: 'Wait',
		options,
		fallback,
		description: 'Whether to wait for the result',
	});

/** A tool answers within the run of its agent. */
export const toolWaitParameter = waitParameter('poll', waits);

/** A year. n8n cannot store a much later time. */
const MOST_HOURS = 8_760;

/** `wait` is the name of the parameter. */
export const suspendHoursParameter = (wait: string) =>
	numberParameter({
		name: 'suspendHours',
		displayName: 'Max Suspension (Hours)',
		description: 'After this time the items go on with what is known of their tasks',
		min: 0,
		max: MOST_HOURS,
		shown: 24,
		fallback: 24,
		displayOptions: { show: { [wait]: ['suspend'] } },
	});

export const waitProperties = (fallback: Wait): INodeProperties[] => [
	waitParameter(fallback).property,
	suspendHoursParameter('wait').property,
];

export const taskId: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.task_id }}',
	description: 'ID of the task. An expression may give a list of IDs.',
};
