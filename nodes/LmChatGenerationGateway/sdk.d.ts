/** The part of n8n's AI node SDK that is used here. It comes with the host; older hosts have none. */
declare module '@n8n/ai-node-sdk' {
	import type { ISupplyDataFunctions, SupplyData } from 'n8n-workflow';

	interface MessageContent {
		type: string;
		/** Of `text`. */
		text?: string;
		/** Of `file`: base64, or bytes; a link stands in the metadata. */
		data?: string | Uint8Array;
		mediaType?: string;
		/** Of `tool-call` and `tool-result`. */
		toolCallId?: string;
		toolName?: string;
		/** JSON as text. */
		input?: string;
		result?: unknown;
		providerMetadata?: Record<string, unknown>;
	}

	export interface Message {
		role: 'system' | 'user' | 'assistant' | 'tool';
		content: MessageContent[];
	}

	export interface Tool {
		type: string;
		name: string;
		description?: string;
		inputSchema?: unknown;
	}

	export type FinishReason =
		'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

	interface TokenUsage {
		promptTokens: number;
		completionTokens: number;
		totalTokens: number;
	}

	export interface GenerateResult {
		id?: string;
		finishReason?: FinishReason;
		usage?: TokenUsage;
		message: Message;
	}

	export type StreamChunk =
		| { type: 'text-delta'; delta: string }
		| { type: 'tool-call-delta'; id: string; name: string; argumentsDelta: string }
		| { type: 'finish'; finishReason: FinishReason; usage?: TokenUsage };

	export interface ChatModelConfig {
		stop?: string[];
		stopSequences?: string[];
		abortSignal?: AbortSignal;
		/** LangChain's. */
		signal?: AbortSignal;
		/** LangChain's. With `any`, the model must call one of its tools. */
		tool_choice?: unknown;
	}

	export interface ChatModel {
		provider: string;
		modelId: string;
		generate(messages: Message[], config?: ChatModelConfig): Promise<GenerateResult>;
		stream(messages: Message[], config?: ChatModelConfig): AsyncIterable<StreamChunk>;
		withTools(tools: Tool[]): ChatModel;
	}

	export function supplyModel(context: ISupplyDataFunctions, model: ChatModel): SupplyData;
	export function getParametersJsonSchema(tool: Tool): Record<string, unknown>;
}
