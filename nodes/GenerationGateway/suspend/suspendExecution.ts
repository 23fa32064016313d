import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { systemClock } from '../../n8n/systemClock';
import { SuspendedExecution } from './suspendedExecution';
import { startOwnChecks } from './ownChecks';
import { createPeriod, type SuspendedItem } from './storedSuspension';

/**
 * Suspends the execution. n8n passes on the node's input when the time runs out;
 * a list of its own, since n8n empties the one that is returned where the node has an error output.
 */
export async function suspendExecution(
	context: IExecuteFunctions,
	output: INodeExecutionData[],
	until: Date,
): Promise<INodeExecutionData[][]> {
	const period = createPeriod(systemClock.now(), until.getTime());
	const stored = output.map(({ suspended, ...item }: SuspendedItem) =>
		suspended ? { ...item, suspended: { ...suspended, period: { ...period } } } : item,
	);
	context.getExecuteData().data.main = [stored];
	await context.putExecutionToWait(until);
	const taskIds = output.flatMap(({ suspended }: SuspendedItem) => suspended?.task_id ?? []);
	const executionId = context.getExecutionId();
	const stopChecks = startOwnChecks(context, period, taskIds, () =>
		SuspendedExecution.forget(executionId),
	);
	SuspendedExecution.of(executionId).suspend(taskIds, period, context, stopChecks);
	return [output];
}
