import type {
	ChatModel,
	ChatModelConfig,
	GenerateResult,
	Message,
	StreamChunk,
	Tool,
} from '@n8n/ai-node-sdk';
import type { GatewayClient } from '../gateway/client';
import type { JsonObject } from '../gateway/json';
import type { ToolDefinition } from '../gateway/text/adapter';
import { completeText, type CompleteOptions } from '../gateway/text/complete';
import { textAdapters } from '../gateway/text';
import { assertWholeCalls, toGenerateResult, toTextMessage } from './messages';
import type { ChatOptions } from './options';

const TIMEOUT_HINT = 'Run again later, or raise Timeout (Seconds).';

interface ChatModelOptions extends Omit<ChatOptions, 'retry'> {
	client: GatewayClient;
	model: string;
	/** n8n has its own schema for the arguments of a tool. */
	toJsonSchema: (tool: Tool) => JsonObject;
	/** The error that an agent gets. */
	toError: (error: unknown) => Error;
}

/** A text model for n8n's agents and chains, with the client of all requests: its retries, limits and messages. */
export class GatewayChatModel implements ChatModel {
	readonly provider = 'generation-gateway';
	readonly modelId: string;

	constructor(
		private readonly options: ChatModelOptions,
		private readonly tools: readonly Tool[] = [],
	) {
		this.modelId = options.model;
	}

	/** With these tools only: an agent that must call one gives them twice. */
	withTools(tools: Tool[]): GatewayChatModel {
		return new GatewayChatModel(this.options, tools);
	}

	async generate(messages: Message[], config?: ChatModelConfig): Promise<GenerateResult> {
		return await this.complete(messages, config, { isStream: false });
	}

	async *stream(messages: Message[], config?: ChatModelConfig): AsyncIterable<StreamChunk> {
		const waiting: StreamChunk[] = [];
		let notify = () => {};
		const add = (chunk: StreamChunk) => {
			waiting.push(chunk);
			notify();
		};
		let isDone = false;
		const end = () => {
			isDone = true;
			notify();
		};
		const onText = (delta: string) => delta && add({ type: 'text-delta', delta });
		const reader = new AbortController();
		const more = { isStream: true, onText, signal: reader.signal };
		const completed = this.complete(messages, config, more).then((result) => {
			const { message, finishReason = 'other', usage } = result;
			for (const { type, toolCallId: id = '', toolName: name = '', input = '' } of message.content)
				if (type === 'tool-call') add({ type: 'tool-call-delta', id, name, argumentsDelta: input });
			add({ type: 'finish', finishReason, usage });
		});
		completed.then(end, end);
		try {
			for (;;) {
				yield* waiting.splice(0);
				if (isDone && !waiting.length) return await completed;
				if (!waiting.length) await new Promise<void>((resolve) => (notify = resolve));
			}
		} finally {
			// Nobody reads on, so nothing more is to be billed.
			reader.abort();
		}
	}

	private async complete(
		messages: Message[],
		config: ChatModelConfig | undefined,
		{ signal, ...more }: Pick<CompleteOptions, 'isStream' | 'onText' | 'signal'>,
	): Promise<GenerateResult> {
		const { client, model, endpoint, parameters, timeoutMs, toError } = this.options;
		const adapter = textAdapters[endpoint];
		const { stop = config?.stopSequences, tool_choice } = config ?? {};
		const signals = [client.context.signal, config?.abortSignal, config?.signal, signal];
		try {
			const tools = this.tools.flatMap((tool) => this.toDefinition(tool));
			const body = adapter.toRequest({
				model,
				system: '',
				messages: messages.map(toTextMessage),
				parameters: {
					...parameters,
					...(stop?.length && endpoint === 'chat' && { stop }),
					...(tools.length && tool_choice === 'any' && { tool_choice: 'required' }),
				},
				tools,
			});
			const request = {
				model,
				body: async () => body,
				silenceMs: timeoutMs,
				timeoutMs,
				timeoutHint: TIMEOUT_HINT,
				signal: AbortSignal.any(signals.filter((each) => each !== undefined)),
			};
			const result = await completeText(client, adapter, { ...request, ...more });
			assertWholeCalls(result);
			return toGenerateResult(result, messages);
		} catch (error) {
			throw toError(error);
		}
	}

	/** Tools of the provider, e.g. its web search, are not shown in the spec. */
	private toDefinition(tool: Tool): ToolDefinition[] {
		if (tool.type !== 'function') return [];
		const { name, description } = tool;
		const parameters = this.options.toJsonSchema(tool);
		return [{ name, ...(description && { description }), parameters }];
	}
}
