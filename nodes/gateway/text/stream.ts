import type { TextEndpointId } from '../../catalog/textEndpoints';
import type { SseEvent } from './sse';
import { parsedJson } from './schema';
import { parseReply } from './replies';
import type { TextResult } from './schema';

type Loose = Record<string, unknown>;

const isObject = (value: unknown): value is Loose =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const objectAt = (value: unknown, name: string): Loose =>
	isObject(value) && isObject(value[name]) ? value[name] : {};
const textAt = (value: Loose, name: string): string =>
	typeof value[name] === 'string' ? value[name] : '';

/**
 * Joins the chunks of a streamed answer into what the whole reply would have been. The shapes of the
 * chunks are not shown (spec section 6), so the common ones are read and others passed over.
 */
export class TextStream {
	/** The stream said that the answer is whole; a stream that just stops has broken off. */
	isWhole = false;
	/** Something of the answer has come. */
	hasBegun = false;
	/** What the stream said when it could not go on. */
	refusal: unknown;
	private readonly texts: string[] = [];
	private readonly calls = new Map<string, { id?: string; name: string; arguments: string }>();
	private place = '0';
	private head: Loose = {};
	private usage: Loose = {};
	private finish: string | undefined;
	private final: Loose | undefined;

	constructor(private readonly style: TextEndpointId) {}

	/** Takes an event and gives the text it adds. */
	take({ event, data }: SseEvent): string {
		if (data.trim() === '[DONE]') {
			this.isWhole = true;
			return '';
		}
		const chunk = parsedJson(data);
		if (!isObject(chunk)) return '';
		this.hasBegun = true;
		const type = textAt(chunk, 'type') || (event ?? '');
		if (chunk.error || type === 'error') {
			this.refusal = chunk.error ? { error: chunk.error } : chunk;
			return '';
		}
		if (this.style === 'chat') return this.takeChat(chunk);
		return this.style === 'respond'
			? this.takeResponse(type, chunk)
			: this.takeMessage(type, chunk);
	}

	/** The text of the first alternative so far. */
	get text(): string {
		return this.texts[0] ?? '';
	}

	/** The answer so far, in the shape of a whole reply of its style. */
	answer(): TextResult {
		return parseReply(this.style, this.final ?? this.assembled())!;
	}

	private takeChat(chunk: Loose): string {
		this.head = { ...this.head, ...pick(chunk, ['id', 'model', 'created', 'system_fingerprint']) };
		this.usage = { ...this.usage, ...objectAt(chunk, 'usage') };
		const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isObject) : [];
		return choices.map((choice) => this.takeChoice(choice)).join('');
	}

	/** A chunk may bring pieces of several alternatives. */
	private takeChoice(choice: Loose): string {
		const delta = objectAt(choice, 'delta');
		const alternative = Number(choice.index ?? 0);
		for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : [])
			this.takeCall(call as Loose, alternative);
		if (isObject(delta.function_call))
			this.takeCall({ function: delta.function_call }, alternative);
		if (typeof choice.finish_reason === 'string') {
			this.finish = choice.finish_reason;
			this.isWhole = true;
		}
		return this.add(textAt(delta, 'content'), alternative);
	}

	/** Calls are told apart by their index within an alternative, or by their ID; a piece with neither goes on with the last. */
	private takeCall(call: Loose, alternative = 0): void {
		const { name, arguments: more } = objectAt(call, 'function');
		this.place = String(call.index ?? call.id ?? this.place);
		const key = `${alternative} ${this.place}`;
		const known = this.calls.get(key) ?? { name: '', arguments: '' };
		known.id ??= typeof call.id === 'string' ? call.id : undefined;
		known.name += typeof name === 'string' ? name : '';
		known.arguments += typeof more === 'string' ? more : '';
		this.calls.set(key, known);
	}

	private takeResponse(type: string, chunk: Loose): string {
		if (isObject(chunk.response)) {
			this.head = { ...this.head, ...pick(chunk.response, ['id', 'model', 'created_at']) };
			if (/\.(completed|incomplete|failed|cancelled)$/.test(type)) {
				this.final = chunk.response;
				this.isWhole = true;
				this.refusal = parseReply('respond', {
					status: type.split('.').at(-1),
					...this.final,
				})?.refusal;
			}
		}
		return type.endsWith('output_text.delta') ? this.add(textAt(chunk, 'delta')) : '';
	}

	private takeMessage(type: string, chunk: Loose): string {
		if (type === 'message_start') this.head = objectAt(chunk, 'message');
		this.usage = {
			...this.usage,
			...objectAt(objectAt(chunk, 'message'), 'usage'),
			...objectAt(chunk, 'usage'),
		};
		const delta = objectAt(chunk, 'delta');
		const index = Number(chunk.index ?? 0);
		if (type === 'content_block_start') {
			const block = objectAt(chunk, 'content_block');
			if (block.type === 'tool_use')
				this.takeCall({ index, id: block.id, function: { name: block.name } });
		}
		if (typeof delta.partial_json === 'string')
			this.takeCall({ index, function: { arguments: delta.partial_json } });
		if (typeof delta.stop_reason === 'string') this.finish = delta.stop_reason;
		if (type === 'message_stop') this.isWhole = true;
		return type === 'content_block_delta' ? this.add(textAt(delta, 'text')) : '';
	}

	private add(text: string, index = 0): string {
		this.texts[index] = (this.texts[index] ?? '') + text;
		return index === 0 ? text : '';
	}

	private assembled(): Loose {
		const calls = [...this.calls.values()];
		const [first = ''] = this.texts;
		if (this.style === 'respond')
			return {
				...this.head,
				status: 'in_progress',
				output: [{ type: 'message', content: [{ type: 'output_text', text: first }] }],
			};
		if (this.style === 'message') {
			const uses = calls.map((call) => ({
				type: 'tool_use',
				id: call.id,
				name: call.name,
				input: parsedJson(call.arguments || '{}'),
			}));
			const content = [...(first ? [{ type: 'text', text: first }] : []), ...uses];
			return { ...this.head, content, stop_reason: this.finish, usage: this.usage };
		}
		const tool_calls = calls.map(({ id, ...call }) => ({ id, type: 'function', function: call }));
		const texts = this.texts.length ? this.texts : [''];
		const choices = texts.map((content, index) => ({
			index,
			message: { role: 'assistant', content, ...(index === 0 && calls.length && { tool_calls }) },
			finish_reason: this.finish,
		}));
		return { ...this.head, object: 'chat.completion', choices, usage: this.usage };
	}
}

const pick = (value: Loose, names: string[]): Loose =>
	Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
