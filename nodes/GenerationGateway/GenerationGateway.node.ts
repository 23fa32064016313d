import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { operationOf, properties } from './actions';
import { builderHint } from './builderHint';
import { assetReferences, searchAssets } from '../n8n/assetLocator';
import { searchModelsOf } from '../n8n/modelParameter';
import { route } from './router';
import { resumeExecution } from './suspend/resume';
import { RESUME_PATH } from './suspend/resumeLink';

export class GenerationGateway implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Generation Gateway',
		name: 'generationGateway',
		icon: { light: 'file:../../icons/gateway.svg', dark: 'file:../../icons/gateway.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Generate images, videos and text, transcribe and embed through one gateway',
		defaults: { name: 'Generation Gateway' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'generationGatewayApi', required: true }],
		waitingNodeTooltip:
			'The execution goes on when the gateway has called back for all its tasks, or after Max Suspension (Hours)',
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				path: RESUME_PATH,
				isFullPath: true,
				restartWebhook: true,
			},
		],
		properties,
		builderHint,
	};

	/** The only webhook is the resume link of a suspended execution. n8n registers it. */
	webhookMethods = {
		default: {
			checkExists: async () => true,
			create: async () => true,
			delete: async () => true,
		},
	};

	methods = { listSearch: { ...searchModelsOf(), searchAssets }, loadOptions: assetReferences };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await route(this, operationOf(this));
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await resumeExecution(this);
	}
}
