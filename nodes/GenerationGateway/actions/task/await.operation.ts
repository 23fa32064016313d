import type { INodeProperties } from 'n8n-workflow';
import { awaitTask, type PollOptions } from '../../../gateway/tasks/awaitTask';
import { getTask } from '../../../gateway/tasks/api';
import { hasEnded } from '../../../gateway/tasks/schema';
import { assertTaskSucceeded, taskToOutput } from '../../tasks/toItem';
import { forEachId, readTaskIds } from '../../tasks/taskIds';
import { awaitOptions, taskId } from '../../tasks/properties';
import {
	readCancelOnStop,
	readOptionsOrThrow,
	readOutputOptions,
	readPollOptions,
	type OutputOptions,
} from '../../tasks/planTask';
import { withCancelOnStop } from '../../tasks/cancelOnStop';
import { showUnderOperation, type Item, type Operation } from '../../operation';
import { suspendedItem } from '../../suspend/suspend';

interface Plan {
	ids: string[];
	delivery: OutputOptions;
	patience: PollOptions;
	cancelOnStop: boolean;
	/** Hours to be parked at most; undefined where the node looks itself. */
	parkHours?: number;
}

/** A year; n8n could not write down a much later time. */
const LONGEST_PARK_HOURS = 8_760;

const waitUntil: INodeProperties[] = [
	{
		displayName: 'Wait By',
		name: 'waitBy',
		type: 'options',
		options: [
			{
				name: 'Looking',
				value: 'poll',
				description: 'The node looks at the tasks until they have ended',
			},
			{
				name: 'Suspending the Execution',
				value: 'suspend',
				description:
					'The execution holds no worker and goes on when the gateway has called back for all tasks',
			},
		],
		default: 'poll',
		description: 'How to wait',
	},
	{
		displayName:
			'Submit the tasks with the option Call Back This Execution. A callback that is lost is caught by the limit below: the items then carry the last known state.',
		name: 'suspendNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { waitBy: ['suspend'] } },
	},
	{
		displayName: 'Suspend at Most (Hours)',
		name: 'suspendHours',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: LONGEST_PARK_HOURS },
		default: 24,
		description: 'After this time the items go on with the last known state of their tasks',
		displayOptions: { show: { waitBy: ['suspend'] } },
	},
];

function parkHoursOf(item: Item): number {
	const options = { suspendHours: item.get('suspendHours', 24) } as Item['options'];
	return readOptionsOrThrow(
		{ ...item, options },
		({ number }) => number('suspendHours', 'Suspend at Most (Hours)', 0, LONGEST_PARK_HOURS) ?? 24,
	);
}

/** Waits until tasks have ended: all of all items together, as long as the slowest takes. */
export const awaitTasks: Operation<Plan> = {
	properties: showUnderOperation('task', ['await'], [taskId, ...waitUntil, awaitOptions]),
	plan: (item) => ({
		ids: readTaskIds(item),
		delivery: readOutputOptions(item),
		patience: readPollOptions(item),
		cancelOnStop: readCancelOnStop(item),
		...(item.get('waitBy', 'poll') === 'suspend' && { parkHours: parkHoursOf(item) }),
	}),
	perform: ({ ids, delivery, patience: pollOptions, parkHours, cancelOnStop }, run) =>
		forEachId(ids, async (id) => {
			const found = await getTask(run.client, id);
			if (parkHours !== undefined)
				return hasEnded(found)
					? await taskToOutput(found, delivery, run)
					: await suspendedItem(found, parkHours, delivery.simplify, run);
			const wait = awaitTask(run.client, found, pollOptions, run.coordinator);
			const task = await withCancelOnStop(wait, id, cancelOnStop, run);
			assertTaskSucceeded(task);
			return await taskToOutput(task, delivery, run);
		}),
};
