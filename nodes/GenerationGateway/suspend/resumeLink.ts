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

/** So many tasks of a run call back, the others are polled: n8n reads the whole execution for each call (1,000: more than a minute). */
const MOST_CALLBACKS = 25;
/** In the context of the execution, which n8n also keeps while it is suspended. */
const CALLED_BACK = 'generationGatewayCallback';

export type Callbacks = 'all' | 'some' | 'none';
interface KeptCallbacks {
	executionId: string;
	callbacks: Callbacks;
}

/** The resume link, for the last items of a run only: they probably end last, and the execution waits for all. */
export function getCallbackUrl(
	context: IExecuteFunctions,
	itemIndex: number,
	itemCount: number,
): string | undefined {
	const kept: KeptCallbacks = {
		executionId: context.getExecutionId(),
		callbacks: itemCount > MOST_CALLBACKS || callbacksOf(context) === 'some' ? 'some' : 'all',
	};
	context.getContext('flow')[CALLED_BACK] = kept;
	return itemIndex < itemCount - MOST_CALLBACKS ? undefined : getResumeUrl(context, itemIndex);
}

/** A task was found that calls back another execution. */
export function recordMissingCallback(context: IExecuteFunctions): void {
	const kept = context.getContext('flow')[CALLED_BACK] as KeptCallbacks | undefined;
	if (kept) kept.callbacks = 'some';
}

/** Which tasks of this execution have the link. A sub-workflow and a Retry are executions of their own. */
export function callbacksOf(context: IExecuteFunctions): Callbacks {
	const kept = context.getContext('flow')[CALLED_BACK] as KeptCallbacks | undefined;
	return kept?.executionId === context.getExecutionId() ? kept.callbacks : 'none';
}
