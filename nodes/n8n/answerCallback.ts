import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** 200: nothing is left to do. Otherwise the sender calls again. `workflowData` beside it starts or resumes the workflow. */
export function answerCallback(node: IWebhookFunctions, status: number): IWebhookResponseData {
	const response = node.getResponseObject().status(status);
	response.json({ received: status === 200 });
	return { noWebhookResponse: true };
}
