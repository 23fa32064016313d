/** The part of n8n's AI node SDK that is used here. It comes with the host; older hosts have none. */
declare module '@n8n/ai-node-sdk' {
	import type { ISupplyDataFunctions, SupplyData } from 'n8n-workflow';

	export interface OpenAiModel {
		type: 'openai';
		baseUrl: string;
		apiKey: string;
		model: string;
		useResponsesApi?: boolean;
		temperature?: number;
		maxTokens?: number;
		topP?: number;
		frequencyPenalty?: number;
		presencePenalty?: number;
		maxRetries?: number;
		/** Milliseconds. */
		timeout?: number;
	}
	export function supplyModel(context: ISupplyDataFunctions, model: OpenAiModel): SupplyData;
}
