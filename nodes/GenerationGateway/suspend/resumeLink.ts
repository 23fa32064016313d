import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * The last part of a resume link: the path of the node's webhook. n8n compares it with that of the node that
 * waits, so the link cannot resume a Wait, a form or an approval. `$execution.resumeUrl` alone would.
 */
export const RESUME_PATH = 'generation-gateway';

/** Makes the node's link from `$execution.resumeUrl`. The token in it stays. */
export function toResumeUrl(executionUrl: string): string {
	const link = new URL(executionUrl);
	link.pathname = `${link.pathname.replace(/\/$/, '')}/${RESUME_PATH}`;
	return link.href;
}

/** The link that resumes this execution while a node of this type has suspended it. */
export function getResumeUrl(context: IExecuteFunctions, itemIndex: number): string {
	const { resumeUrl } = context.getWorkflowDataProxy(itemIndex).$execution as { resumeUrl: string };
	return toResumeUrl(resumeUrl);
}

/**
 * At most so many tasks of a run call back. The others are polled: n8n reads the whole execution for each call, and
 * 1,000 calls take more than a minute.
 */
const MOST_CALLBACKS = 25;

/** The resume link, for the last items of a run only: they probably end last, and the execution waits for all. */
export const getCallbackUrl = (
	context: IExecuteFunctions,
	itemIndex: number,
	itemCount: number,
): string | undefined =>
	itemIndex < itemCount - MOST_CALLBACKS ? undefined : getResumeUrl(context, itemIndex);

/** In the context of the execution, which n8n also keeps while it is suspended. */
const CALLED_BACK = 'generationGatewayCallback';
/** Of a loop, the last turns. */
const MOST_KEPT = 1_000;

/** The tasks of this execution that have its link. A sub-workflow and a Retry are executions of their own. */
export function readCalledBack(context: IExecuteFunctions): Set<string> {
	const kept = context.getContext('flow')[CALLED_BACK] as
		{ executionId: string; taskIds: string[] } | undefined;
	return new Set(kept?.executionId === context.getExecutionId() ? kept.taskIds : []);
}

/** A task was made with the link. One that was only found may call back another execution. */
export function recordCalledBack(context: IExecuteFunctions, taskId: string): void {
	const taskIds = [...readCalledBack(context).add(taskId)].slice(-MOST_KEPT);
	context.getContext('flow')[CALLED_BACK] = { executionId: context.getExecutionId(), taskIds };
}
