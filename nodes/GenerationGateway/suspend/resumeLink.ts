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

/** Where an execution keeps that it asked for callbacks; n8n keeps it too when the execution is suspended. */
const CALLED_BACK = 'generationGatewayCallback';

/** The resume link for the gateway, from the node that submits: this execution is called back from now on. */
export function getCallbackUrl(context: IExecuteFunctions, itemIndex: number): string {
	context.getContext('flow')[CALLED_BACK] = context.getExecutionId();
	return getResumeUrl(context, itemIndex);
}

/**
 * Whether a node of this execution has given the gateway the link. A sub-workflow is an execution of its
 * own, and so is a retry, though it begins with what the failed one has kept.
 */
export const isCalledBack = (context: IExecuteFunctions): boolean =>
	context.getContext('flow')[CALLED_BACK] === context.getExecutionId();
