import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

/** One trigger, in whichever run or callback of it. */
export const scopeOf = (node: IWebhookFunctions | IExecuteFunctions): string =>
	`${node.getWorkflow().id} ${node.getNode().id}`;
