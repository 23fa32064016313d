import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { PollOptions } from '../../gateway/tasks/awaitTask';
import type { ItemReader } from '../../n8n/itemReader';
import { offerLater, offerWhen } from '../../n8n/options';
import { choiceParameter, numberParameter, switchParameter } from '../../n8n/parameters';

export const pollInterval = numberParameter({
	name: 'pollInterval',
	displayName: 'Max Poll Interval (Seconds)',
	description: 'Longest time between two polls',
	min: 1,
	fallback: 10,
});

export const timeout = numberParameter({
	name: 'timeout',
	displayName: 'Max Wait (Seconds)',
	description: 'After this time the item goes on with the last known state of its task',
	min: 0,
	fallback: 1200,
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

const UNTIL_DONE = ['poll'];

/** `wait` is the name of the parameter. */
export const waiting = (wait: string) => [
	offerWhen(timeout, { show: { [`/${wait}`]: UNTIL_DONE } }),
	offerLater(pollInterval, { [`/${wait}`]: UNTIL_DONE }),
];

const waits: (INodePropertyOptions & { value: Wait })[] = [
	{ name: 'Until Done', value: 'poll' },
	{ name: 'Do Not Wait', value: 'none', description: 'Returns the task ID' },
];
export const suspending: (typeof waits)[number] = {
	name: 'Suspend Execution Until Done',
	value: 'suspend',
	description:
		'For long videos. The gateway must reach this n8n. In a sub-workflow the node polls instead.',
};
type Wait = 'none' | 'poll' | 'suspend';

export const waitParameter = (fallback: Wait, options = [...waits, suspending]) =>
	choiceParameter<Wait>({
		name: 'wait',
		displayName: 'Wait',
		options,
		fallback,
		description: 'How to wait for the result',
	});

/** A tool answers within the run of its agent. */
export const toolWaitParameter = waitParameter('poll', waits);

/** Some seconds. With 0 it would be over before a callback comes. */
const LEAST_HOURS = 0.001;
/** A year. n8n cannot store a much later time. */
const MOST_HOURS = 8_760;

/** `wait` is the name of the parameter. */
export const suspendHoursParameter = (wait: string) =>
	numberParameter({
		name: 'suspendHours',
		displayName: 'Max Suspension (Hours)',
		description: 'Then the items go on with the last known state of their tasks',
		min: LEAST_HOURS,
		max: MOST_HOURS,
		// After a restart nobody polls at the end. Links, which work for 24 hours (spec section 1), must work then.
		fallback: 12,
		displayOptions: { show: { [wait]: ['suspend'] } },
	});

export const waitProperties = (fallback: Wait): INodeProperties[] => [
	waitParameter(fallback).property,
	suspendHoursParameter('wait').property,
];

/** `hours`: of a suspension that is not possible here. */
export const readPollOptions = (item: ItemReader, hours?: number): PollOptions => ({
	timeoutMs: hours === undefined ? item.option(timeout) * 1000 : hours * 3_600_000,
	longestMs: item.option(pollInterval) * 1000,
});
