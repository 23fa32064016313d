import { isObject, objectAt, parseJson, type JsonObject } from '../json';
import type { ToolCall } from './schema';

/** With arguments as text. */
type PartialCall = ToolCall & { arguments: string };

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * Joins the pieces of streamed tool calls. Index, ID and name tell calls apart: some gateways give each the
 * index 0, and no ID. A piece without them continues the last call. Some repeat the name in each piece.
 */
export class ToolCallCollector {
	readonly list: PartialCall[] = [];
	private readonly latest = new Map<string, PartialCall>();
	private lastPlace = '0';

	/** Takes a piece `{ index?, id?, function: { name?, arguments? } }`. */
	add(piece: JsonObject, alternative = 0): void {
		const { name, arguments: more } = objectAt(piece, 'function');
		const id = isText(piece.id) ? piece.id : undefined;
		const { index } = piece;
		const place = typeof index === 'number' || typeof index === 'string' ? index : id;
		this.lastPlace = String(place ?? this.lastPlace);
		const added = {
			id,
			name: isText(name) ? name : '',
			arguments: isObject(more) ? JSON.stringify(more) : isText(more) ? more : '',
		};
		const key = `${alternative} ${this.lastPlace}`;
		const known = this.latest.get(key);
		if (known?.arguments && repeats(known, added)) return;
		if (known && continues(known, added)) {
			known.id ??= id;
			known.name ||= added.name;
			known.arguments += added.arguments;
		} else {
			this.list.push(added);
			this.latest.set(key, added);
		}
	}
}

/** Whether the piece belongs to the call at its place. */
function continues(known: PartialCall, piece: PartialCall): boolean {
	if (piece.id && known.id && piece.id !== known.id) return false;
	if (!piece.name || !known.name) return true;
	// The same function may be called again. Few pieces begin like this, so the whole is rarely parsed.
	const isNext = /^\s*\{/.test(piece.arguments) && isObject(parseJson(known.arguments));
	return piece.name === known.name && !isNext;
}

/** Whether the piece states the whole call once more, as a summary at the end may do. A short one is not parsed. */
const repeats = (known: PartialCall, piece: PartialCall): boolean =>
	piece.id !== undefined &&
	piece.id === known.id &&
	piece.arguments.length * 2 >= known.arguments.length &&
	valueOf(piece.arguments) === valueOf(known.arguments);
/** Some gateways encode the arguments twice there. */
const valueOf = (text: string): string => JSON.stringify(parseJson(parseJson(text)));
