import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * The last part of a resume link: the path of the node's webhook. n8n compares it with the webhooks of the
 * node at which the execution waits, so the link resumes no other node: no Wait, no form, nothing that a
 * person has to confirm. An `$execution.resumeUrl` without it would resume whichever node waits.
 */
export const RESUME_PATH = 'generation-gateway';

/** Makes the link of this node from n8n's `$execution.resumeUrl`; the token that n8n put there stays unchanged. */
export function toResumeUrl(executionUrl: string): string {
	const link = new URL(executionUrl);
	link.pathname = `${link.pathname.replace(/\/$/, '')}/${RESUME_PATH}`;
	return link.href;
}

/** The link on which this execution can be called back while a node of this type has suspended it. */
export function getResumeUrl(context: IExecuteFunctions, itemIndex: number): string {
	const { resumeUrl } = context.getWorkflowDataProxy(itemIndex).$execution as { resumeUrl: string };
	return toResumeUrl(resumeUrl);
}

/**
 * Of the tasks of one run, so many call back; the others are polled. n8n reads the whole execution for each
 * call: 1,000 calls to one of 1,000 tasks kept it busy for 73 s.
 */
const MOST_CALLBACKS = 25;
/** Where an execution keeps that it asked for callbacks; n8n keeps it too when the execution is suspended. */
const CALLED_BACK = 'generationGatewayCallback';

/** Which tasks of this execution call it back. */
export type Callbacks = 'all' | 'some' | 'none';
interface KeptCallbacks {
	executionId: string;
	callbacks: Callbacks;
}

/**
 * The resume link for the gateway, from the node that submits. Only the last items of a run get it:
 * they probably end last, and the execution goes on when all have ended.
 */
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

/**
 * Which tasks a node of this execution has given the link. A sub-workflow is an execution of its own, and
 * so is a retry, though it begins with what the failed one has kept.
 */
export function callbacksOf(context: IExecuteFunctions): Callbacks {
	const kept = context.getContext('flow')[CALLED_BACK] as KeptCallbacks | undefined;
	return kept?.executionId === context.getExecutionId() ? kept.callbacks : 'none';
}
