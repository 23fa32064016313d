import { getTask } from '../../../gateway/tasks/api';
import { withDetails } from '../../../gateway/errors';
import { awaitTask } from '../../../gateway/tasks/awaitTask';
import { hasEnded } from '../../../gateway/tasks/schema';
import { assertReachable } from '../../../n8n/gatewayAddress';
import { findTaskError } from '../../../n8n/items/task';
import type { ItemReader } from '../../../n8n/itemReader';
import { choiceParameter } from '../../../n8n/parameters';
import type { ItemOutcome, Operation, Run } from '../../operation';
import { canSuspend } from '../../suspend/canSuspend';
import { toEndedOutcome } from '../../suspend/settle';
import { getResumeUrl } from '../../suspend/resumeLink';
import { cancelTaskOnStop } from '../../tasks/cancelOnStop';
import { readOutputOptions } from '../../tasks/outputOptions';
import { awaitOptions, taskId } from '../../tasks/parameters';
import { forEachId, readTaskIds } from '../../tasks/taskOperation';
import { toOutput } from '../../tasks/toOutput';
import {
	cancelAwaitedOnStop,
	readPollOptions,
	suspendHoursParameter,
} from '../../tasks/waitOptions';

const waitMode = choiceParameter({
	name: 'waitBy',
	displayName: 'Wait Mode',
	options: [
		{
			name: 'Poll',
			value: 'poll',
			description: 'The node polls the tasks until they have ended',
		},
		{
			name: 'Suspend Execution',
			value: 'suspend',
			description:
				'Uses no worker while it waits. For tasks that this execution submits with Call Back This Execution; others are polled.',
		},
	],
	fallback: 'poll',
	description: 'How to wait',
});

const suspendHours = suspendHoursParameter('waitBy');

async function readPlan(item: ItemReader, run: Run) {
	const isChosen = item.parameter(waitMode) === 'suspend';
	const isSuspended = isChosen && canSuspend(run);
	const hours = isChosen ? item.parameter(suspendHours) : undefined;
	return {
		taskIds: readIds(item, run, isSuspended),
		outputOptions: await readOutputOptions(item, run),
		pollOptions: readPollOptions(item, isSuspended ? undefined : hours),
		cancelsOnStop: item.option(cancelAwaitedOnStop),
		/** Longest suspension in hours. Undefined: the node polls. */
		suspendHours: isSuspended ? hours : undefined,
	};
}

type Plan = Awaited<ReturnType<typeof readPlan>>;

/** Waits until tasks have ended, all items together. */
export const awaitTasks: Operation<Plan> = {
	properties: [taskId, waitMode.property, suspendHours.property, awaitOptions],
	plan: readPlan,
	perform: (plan, run) =>
		forEachId(plan.taskIds, (id) => {
			if (plan.cancelsOnStop) cancelTaskOnStop(id, run);
			return plan.suspendHours === undefined
				? pollUntilEnd(id, plan, run)
				: suspendUntilEnd(id, plan.suspendHours, plan, run);
		}),
};

/** n8n pairs the n-th item of a resumed execution with the n-th row. An error output fails where that row is missing. */
function readIds(item: ItemReader, { itemCount, context }: Run, isSuspended: boolean): string[] {
	const ids = readTaskIds(item);
	const needsRows = itemCount > 1 || context.getNode().onError === 'continueErrorOutput';
	if (ids.length > 1 && needsRows && isSuspended)
		item.addIssue(
			taskId.name,
			'Task ID must be one ID for each item with Suspend Execution: n8n would mix up the items. Split the list before, or set Wait Mode to Poll',
		);
	return ids;
}

async function pollUntilEnd(id: string, plan: Plan, run: Run): Promise<ItemOutcome> {
	run.summary.hasWaited = true;
	const task = await awaitTask(run.client, id, plan.pollOptions, run.coordinator);
	const failure = findTaskError(task);
	if (failure) throw failure;
	return await toOutput(task, plan.outputOptions, run);
}

async function suspendUntilEnd(
	id: string,
	hours: number,
	{ outputOptions, cancelsOnStop }: Plan,
	run: Run,
): Promise<ItemOutcome> {
	const task = await getTask(run.client, id);
	const suspended = { task, outputOptions, hours, cancelsOnStop };
	if (hasEnded(task)) return await toEndedOutcome(suspended, run);
	await assertReachable(run.context, getResumeUrl(run.context, 0)).catch((error: unknown) => {
		throw withDetails(error, { task_id: task.taskId, status: task.status, billed: undefined });
	});
	return { suspended };
}
