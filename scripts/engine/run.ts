import { parse, stringify } from 'flatted';
import { WorkflowExecute } from 'n8n-core';
import { createRunExecutionData } from 'n8n-workflow';
import type { ExecutionError, IRun, IRunExecutionData } from 'n8n-workflow';

import { binaryDataService } from './container';
import type { BinaryMode } from './container';
import { prepareExecution, resumeTokenOf, startNode } from './execution';
import type { Execution } from './execution';
import type { EngineOptions, WorkflowJson } from './options';
import { EngineRun } from './result';

const running = new Map<BinaryMode, number>([
	['filesystem', 0],
	['default', 0],
]);

/**
 * Runs a workflow through n8n's own engine, without a server: real contexts, helpers, expressions and retries.
 * Never rejects for what a node did: read `status`, `error` and `nodeError` of the result.
 */
export async function runWorkflow(
	json: WorkflowJson,
	options: EngineOptions = {},
): Promise<EngineRun> {
	const execution = prepareExecution(json, options);
	return await execute(execution, () => {
		const { destinationNode } = options;
		return newExecute(
			execution,
			createRunExecutionData({ resumeToken: resumeTokenOf(execution) }),
		).run({
			workflow: execution.workflow,
			startNode: startNode(execution),
			destinationNode:
				destinationNode === undefined
					? undefined
					: { nodeName: destinationNode, mode: 'inclusive' },
			pinData: json.pinData,
		});
	});
}

/** Goes on with an execution whose state is known: a trigger's first items, or what a wait left behind. */
export async function continueExecution(
	execution: Execution,
	data: IRunExecutionData,
): Promise<EngineRun> {
	return await execute(execution, () =>
		newExecute(execution, data).processRunExecutionData(execution.workflow),
	);
}

/**
 * Retries a run that has failed as n8n's list of executions does: a new execution goes on with the node
 * that failed, with all that the old one has stored. `json`: the workflow as it is saved now.
 */
export async function retryExecution(failed: EngineRun, json?: WorkflowJson): Promise<EngineRun> {
	const { execution, run } = failed;
	const data = parse(stringify(run.data)) as IRunExecutionData;
	const { resultData } = data;
	delete resultData.error;
	const runs = resultData.runData[resultData.lastNodeExecuted ?? ''];
	if (runs?.at(-1)?.error) runs.pop();
	const options = { ...execution.options, executionId: undefined, mode: 'retry' as const };
	const next = prepareExecution(json ?? execution.json, options);
	for (const item of data.executionData?.nodeExecutionStack ?? [])
		item.node = next.workflow.getNode(item.node.name) ?? item.node;
	return await continueExecution(next, data);
}

function newExecute({ additionalData, mode }: Execution, data: IRunExecutionData): WorkflowExecute {
	return new WorkflowExecute(additionalData, mode, data);
}

async function execute(
	execution: Execution,
	start: () => ReturnType<WorkflowExecute['run']>,
): Promise<EngineRun> {
	const binaryMode = execution.options.binaryMode ?? 'filesystem';
	if (changeCount(binaryMode === 'filesystem' ? 'default' : 'filesystem', 0) > 0) {
		throw new Error('Runs at the same time must keep their files in the same place');
	}
	changeCount(binaryMode, 1);
	try {
		await binaryDataService(binaryMode);
		return new EngineRun(await waitForRun(execution, start), execution);
	} finally {
		changeCount(binaryMode, -1);
	}
}

async function waitForRun(
	execution: Execution,
	start: () => ReturnType<WorkflowExecute['run']>,
): Promise<IRun> {
	const { signal } = execution.options;
	const startedAt = new Date();
	try {
		const promise = start();
		const cancel = () => promise.cancel();
		if (signal?.aborted) cancel();
		signal?.addEventListener('abort', cancel, { once: true });
		return await promise.finally(() => signal?.removeEventListener('abort', cancel));
	} catch (error) {
		return createFailedRun(error as ExecutionError, execution, startedAt);
	}
}

/** A workflow that the engine will not start (a required field is empty, say) ends as n8n's server records it. */
function createFailedRun(error: ExecutionError, { mode }: Execution, startedAt: Date): IRun {
	const data = createRunExecutionData({ resultData: { error } });
	return { data, mode, startedAt, stoppedAt: new Date(), storedAt: 'db', status: 'error' };
}

function changeCount(mode: BinaryMode, change: number): number {
	const now = (running.get(mode) ?? 0) + change;
	running.set(mode, now);
	return now;
}
