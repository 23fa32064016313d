import type { INodeProperties } from 'n8n-workflow';
import {
	concurrency,
	fallbackModels,
	includeInput,
	IS_ADDED,
	offerLater,
	offerWhen,
	optionsCollection,
	simplify,
} from '../../n8n/options';
import { choiceParameter, switchParameter, textParameter } from '../../n8n/parameters';
import { costLimits } from '../account/costOptions';
import { fileOptions, output } from './outputOptions';
import { cancelAwaitedOnStop, cancelOnStop, waiting } from './waitOptions';

export const callbackUrl = textParameter({
	name: 'callback_url',
	displayName: 'Callback URL',
	placeholder: 'e.g. https://n8n.example.com/webhook/generation',
	description: 'Webhook that the gateway calls when the task has ended',
	refusesNull: true,
});

export const callbackExecution = switchParameter({
	name: 'callbackExecution',
	displayName: 'Call Back This Execution',
	description:
		'Whether the gateway calls this execution when the task has ended. Use it with a later Task > Await that suspends the execution.',
});

export const callbackEvents: INodeProperties = {
	displayName: 'Callback Events',
	name: 'callback_events',
	type: 'multiOptions',
	options: ['Cancelled', 'Completed', 'Failed', 'Succeeded'].map((name) => ({
		name,
		value: name.toLowerCase(),
	})),
	default: [],
	description: 'All when empty. Some models call the event succeeded instead of completed.',
};

export const dryRun = switchParameter({
	name: 'dryRun',
	displayName: 'Check Price Only',
	description: 'Whether to only check the request and estimate its cost',
});

export const idempotencyKey = textParameter({
	name: 'idempotencyKey',
	displayName: 'Idempotency Key',
	placeholder: 'e.g. {{ $json.row_id }}-image',
	description:
		'The same key within 24 hours gives the same task, in any execution and node, unless it ended without a result',
});

/** Default: the next execution makes a new task, and equal calls of an agent share one. */
export const ifAlreadyMade = choiceParameter<'key' | 'make' | 'reuse', undefined>({
	name: 'ifAlreadyMade',
	displayName: 'If Already Made',
	options: [
		{
			name: 'Make Again',
			value: 'make',
			description: 'A new task in each execution. An Idempotency Key is ignored.',
		},
		{
			name: 'Match by Key',
			value: 'key',
			description: 'The task with the same Idempotency Key',
		},
		{
			name: 'Use It',
			value: 'reuse',
			description:
				'The task of the last 24 hours with the same Idempotency Key, or of an equal request that also had Use It',
		},
	],
	shown: 'reuse',
	fallback: undefined,
	description: 'What to do when an earlier execution has made the same request',
});

export const omitUnsupported = switchParameter({
	name: 'omitUnsupported',
	displayName: 'Fallback Omits Unsupported Fields',
	description: 'Whether a fallback model may run without the fields that it does not take',
});

const WAITS = [{ _cnd: { not: 'none' } }];

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

export const taskId: INodeProperties = {
	displayName: 'Task ID',
	name: 'taskId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.task_id }}',
	description:
		'ID of the task, or several with commas between them. An expression may give a list.',
};
