import type { IExecuteFunctions, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';
import { createClientAfterStop, createGatewayContext } from '../../n8n/gatewayContext';
import { wallTime } from '../../n8n/systemClock';
import { findRunning } from './findRunning';
import { SuspendedExecution } from './suspendedExecution';
import { getResumeUrl, readCalledBack } from './resumeLink';
import { createPeriod, HOST_TIMER_MS, listTasks, toStoredItem } from './storedSuspension';

const NOT_CALLED_BACK: NodeExecutionHint = {
	message:
		'No callback will come: this execution did not make the tasks, or made them without Call Back This Execution. The node polls them as Wait Mode: Poll does, as long as this n8n process lives.',
	location: 'outputPane',
};

/**
 * When the time runs out, n8n passes on `data.main`: a copy, since with an error output n8n empties the returned list.
 * When it resumes this run, it disables `node`: a copy, too, since further runs of the node that wait have the same one.
 */
export async function suspendExecution(
	context: IExecuteFunctions,
	output: INodeExecutionData[],
	until: Date,
): Promise<INodeExecutionData[][]> {
	const tasks = listTasks(output);
	const calledBack = readCalledBack(context);
	const isCalledBack = tasks.taskIds.every((id) => calledBack.has(id));
	const period = createPeriod(wallTime(), until.getTime(), isCalledBack);
	const executeData = context.getExecuteData();
	executeData.data.main = [output.map((item) => toStoredItem(item, period))];
	executeData.node = { ...executeData.node };
	await context.putExecutionToWait(new Date(period.until + HOST_TIMER_MS));
	if (!tasks.taskIds.some((id) => calledBack.has(id))) context.addExecutionHints?.(NOT_CALLED_BACK);
	const execution = SuspendedExecution.of(context.getExecutionId());
	const earlier = execution.suspend(tasks.taskIds, period, context);
	// What they have cost counts in this process, too.
	void findRunning(createClientAfterStop(createGatewayContext(context)), earlier);
	execution.startChecks(context, { ...tasks, url: getResumeUrl(context, 0), period });
	return [output];
}
