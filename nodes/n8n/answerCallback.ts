import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/**
 * Answers a callback: 200 when nothing is left to do, otherwise the sender is to call again. `workflowData`
 * beside the result starts or resumes the workflow.
 */
export function answerCallback(node: IWebhookFunctions, status: number): IWebhookResponseData {
	const response = node.getResponseObject().status(status);
	response.json({ received: status === 200 });
	return { noWebhookResponse: true };
}
