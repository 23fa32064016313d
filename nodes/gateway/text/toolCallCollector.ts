import type { JsonObject } from '../context';
import { objectAt, parsedJson, type ToolCall } from './schema';

interface PartialCall {
	id?: string;
	name: string;
	arguments: string;
}

/** Puts streamed tool calls together. Calls are told apart by their index within an alternative, or by their ID; a piece with neither goes on with the last. */
export class ToolCallCollector {
	private readonly calls = new Map<string, PartialCall>();
	private lastPlace = '0';

	/** Takes a piece `{ index?, id?, function: { name?, arguments? } }`. */
	add(piece: JsonObject, alternative = 0): void {
		const { name, arguments: more } = objectAt(piece, 'function');
		this.lastPlace = String(piece.index ?? piece.id ?? this.lastPlace);
		const key = `${alternative} ${this.lastPlace}`;
		const call = this.calls.get(key) ?? { name: '', arguments: '' };
		call.id ??= typeof piece.id === 'string' ? piece.id : undefined;
		call.name += typeof name === 'string' ? name : '';
		call.arguments += typeof more === 'string' ? more : '';
		this.calls.set(key, call);
	}

	/** The calls as they came, arguments as text. */
	partial(): PartialCall[] {
		return [...this.calls.values()];
	}

	toToolCalls(): ToolCall[] {
		return this.partial().map(({ id, name, arguments: text }) => ({
			id,
			name,
			arguments: parsedJson(text || '{}'),
		}));
	}
}
