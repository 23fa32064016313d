import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/**
 * Answers a caller: 200 where nothing is left to do, any other status where it is to call again. What is
 * added to the result as `workflowData` starts or resumes the workflow after that.
 */
export function answerCallback(node: IWebhookFunctions, status: number): IWebhookResponseData {
	const response = node.getResponseObject().status(status);
	response.json({ received: status === 200 });
	return { noWebhookResponse: true };
}
