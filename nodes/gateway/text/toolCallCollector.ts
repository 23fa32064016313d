import { parseJson } from '../json';
import type { JsonObject } from '../context';
import { objectAt, type ToolCall } from './schema';

interface PartialCall {
	id?: string;
	name: string;
	arguments: string;
}

/**
 * Puts streamed tool calls together. Calls are distinguished by their index within an alternative and by
 * their ID, since some gateways give each call the index 0; a piece with neither goes on with the last.
 */
export class ToolCallCollector {
	private readonly calls: PartialCall[] = [];
	private readonly latest = new Map<string, PartialCall>();
	private lastPlace = '0';

	/** Takes a piece `{ index?, id?, function: { name?, arguments? } }`. */
	add(piece: JsonObject, alternative = 0): void {
		const { name, arguments: more } = objectAt(piece, 'function');
		const id = typeof piece.id === 'string' && piece.id ? piece.id : undefined;
		const { index } = piece;
		const place = typeof index === 'number' || typeof index === 'string' ? index : id;
		this.lastPlace = String(place ?? this.lastPlace);
		const toolCall = this.callAt(`${alternative} ${this.lastPlace}`, id);
		toolCall.id ??= id;
		toolCall.name += typeof name === 'string' ? name : '';
		toolCall.arguments += typeof more === 'string' ? more : '';
	}

	private callAt(place: string, id: string | undefined): PartialCall {
		const known = this.latest.get(place);
		if (known && (id === undefined || known.id === undefined || known.id === id)) return known;
		const toolCall = { name: '', arguments: '' };
		this.calls.push(toolCall);
		this.latest.set(place, toolCall);
		return toolCall;
	}

	/** The calls as they came, arguments as text. */
	partial(): PartialCall[] {
		return this.calls;
	}

	toToolCalls(): ToolCall[] {
		return this.partial().map(({ id, name, arguments: text }) => ({
			id,
			name,
			arguments: parseJson(text || '{}'),
		}));
	}
}
