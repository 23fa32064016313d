import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

/** Names a trigger. */
export const scopeOf = (node: IWebhookFunctions | IExecuteFunctions): string =>
	`${node.getWorkflow().id} ${node.getNode().id}`;

/** Names a run or a callback of a trigger. */
export const keyOf = (scope: string, taskIds: readonly (string | undefined)[]): string =>
	`${scope} ${taskIds.join()}`;
