import type {
	IExecuteFunctions,
	INodeType,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

/** Suspends its execution and answers each call without doing anything: what n8n itself takes for one. Made for this contest. */
export class Suspend implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Suspend',
		name: 'suspend',
		group: ['transform'],
		version: 2,
		description: 'Answers and stays suspended',
		defaults: { name: 'Suspend' },
		inputs: ['main'],
		outputs: ['main'],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				path: '',
				isFullPath: true,
				restartWebhook: true,
			},
		],
		properties: [],
	};

	async execute(this: IExecuteFunctions) {
		await this.putExecutionToWait(new Date(Date.now() + 3_600_000));
		return [this.getInputData()];
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		this.getResponseObject().status(200).json({});
		return { noWebhookResponse: true };
	}
}
