import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type IHookFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { handleCallback } from './callback';
import { callbackPath, properties } from './properties';
import { beginRun } from './run';
import { assertValidSecret } from './secret';

export class GenerationGatewayTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Generation Gateway Trigger',
		name: 'generationGatewayTrigger',
		icon: { light: 'file:../../icons/gateway.svg', dark: 'file:../../icons/gateway.dark.svg' },
		group: ['trigger'],
		// With version 1 n8n evaluates an expression for each webhook.
		version: [1, 2],
		subtitle: '={{ $parameter["events"].join(", ") }}',
		// n8n shows it for the node and the trigger together.
		description:
			'Generate images, videos and text, transcribe and embed through one gateway, and start workflows when tasks have ended',
		eventTriggerDescription: 'Waiting for the gateway to call the test URL',
		triggerPanel: {
			header: 'Start when a task has ended',
			executionsHelp:
				'<b>While building</b>, press Execute step, then submit a task with the test URL as its Callback URL.<br><br><b>Once the workflow is published</b>, each task with the production URL as its Callback URL starts it.',
		},
		activationMessage: 'Use the production URL as Callback URL of your tasks.',
		defaults: { name: 'Generation Gateway Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'generationGatewayApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Unless it is set, n8n answers with the text `firstEntryJson`.
				responseData: '',
				...callbackPath,
			},
		],
		properties,
	};

	/** The URL goes with each task, so there is nothing to register. */
	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				assertValidSecret(this);
				return true;
			},
			create: async () => true,
			delete: async () => true,
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await handleCallback(this);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await beginRun(this)];
	}
}
