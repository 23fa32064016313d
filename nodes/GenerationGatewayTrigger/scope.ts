import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

/** One trigger, in whichever run or callback of it. */
export const scopeOf = (node: IWebhookFunctions | IExecuteFunctions): string =>
	`${node.getWorkflow().id} ${node.getNode().id}`;

/** What a callback or a run of a trigger is about. */
export const keyOf = (scope: string, taskIds: readonly (string | undefined)[]): string =>
	`${scope} ${taskIds.join()}`;
