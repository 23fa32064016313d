import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { SuspendedExecution } from './suspendedExecution';
import { startOwnChecks } from './ownChecks';
import type { SuspendedItem } from './suspension';

/**
 * Suspends the execution. n8n passes on the node's input when the time runs out;
 * a list of its own, since n8n empties the one that is returned where the node has an error output.
 */
export async function suspendExecution(
	context: IExecuteFunctions,
	output: INodeExecutionData[],
	until: Date,
): Promise<INodeExecutionData[][]> {
	context.getExecuteData().data.main = [[...output]];
	await context.putExecutionToWait(until);
	const taskIds = output.flatMap(({ suspended }: SuspendedItem) => suspended?.task_id ?? []);
	const executionId = context.getExecutionId();
	const stopChecks = startOwnChecks(context, until, taskIds, () =>
		SuspendedExecution.forget(executionId),
	);
	SuspendedExecution.of(executionId).suspend(taskIds, context, stopChecks);
	return [output];
}
