import type { JsonObject } from '../json';
import { objectAt } from './schema';

interface PartialCall {
	id?: string;
	name: string;
	/** As text. */
	arguments: string;
}

/**
 * Joins the pieces of streamed tool calls. Index and ID tell calls apart: some gateways give each the index
 * 0. A piece with neither continues the last call. Some repeat the name in each piece.
 */
export class ToolCallCollector {
	readonly list: PartialCall[] = [];
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
		toolCall.name = typeof name === 'string' && name ? name : toolCall.name;
		toolCall.arguments += typeof more === 'string' ? more : '';
	}

	private callAt(place: string, id: string | undefined): PartialCall {
		const known = this.latest.get(place);
		if (known && (id === undefined || known.id === undefined || known.id === id)) return known;
		const toolCall = { name: '', arguments: '' };
		this.list.push(toolCall);
		this.latest.set(place, toolCall);
		return toolCall;
	}
}
