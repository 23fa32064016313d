import { isObject, objectAt, omitBlank, parseJson, pick, type JsonObject } from '../json';
import type { ToolCall } from './schema';

/** With arguments as text. */
type PartialCall = ToolCall & { arguments: string; extra_content?: unknown };

interface LatestCall {
	call: PartialCall;
	/** Its last piece. */
	last: string;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * Joins the pieces of streamed tool calls. Index, ID and name tell calls apart: some gateways give each the
 * index 0, and no ID. A piece without them continues the last call. Some repeat the name in each piece.
 */
export class ToolCallCollector {
	readonly list: PartialCall[] = [];
	/** By place. */
	private readonly latest = new Map<string, LatestCall>();
	private lastPlace = '0';

	/** Takes a piece `{ index?, id?, function: { name?, arguments? }, extra_content? }`. */
	add(piece: JsonObject, alternative = 0): void {
		const { name, arguments: more } = objectAt(piece, 'function');
		const id = isText(piece.id) ? piece.id : undefined;
		const { index } = piece;
		const signed = omitBlank(pick(piece, ['extra_content']));
		const place = typeof index === 'number' || typeof index === 'string' ? index : id;
		this.lastPlace = String(place ?? this.lastPlace);
		const added = {
			id,
			name: isText(name) ? name : '',
			arguments: isObject(more) ? JSON.stringify(more) : isText(more) ? more : '',
			...signed,
		};
		const key = `${alternative} ${this.lastPlace}`;
		const known = this.latest.get(key);
		if (known?.call.arguments && repeats(known.call, added)) {
			Object.assign(known.call, signed);
			return;
		}
		if (!known || !continues(known, added)) {
			this.list.push(added);
			this.latest.set(key, { call: added, last: added.arguments });
			return;
		}
		const { call } = known;
		call.id ??= id;
		call.name ||= added.name;
		call.arguments += added.arguments;
		Object.assign(call, signed);
		if (added.arguments.trim()) known.last = added.arguments;
	}
}

/** Whether the piece belongs to the call at its place. */
function continues({ call, last }: LatestCall, piece: PartialCall): boolean {
	if (piece.id && call.id && piece.id !== call.id) return false;
	if (!piece.name || !call.name) return true;
	// The same function may be called again. The whole is parsed only where the pieces allow it.
	const mayBeNext = /^\s*\{/.test(piece.arguments) && last.trimEnd().endsWith('}');
	const isNext = mayBeNext && isObject(parseJson(call.arguments));
	return piece.name === call.name && !isNext;
}

/** Whether the piece repeats the whole call, as a summary at the end does. One that is far shorter is not parsed. */
const repeats = (known: PartialCall, piece: PartialCall): boolean =>
	piece.id !== undefined &&
	piece.id === known.id &&
	(!piece.name || piece.name === known.name) &&
	piece.arguments.length * 16 >= known.arguments.length &&
	valueOf(piece.arguments) === valueOf(known.arguments);
/** Some gateways encode the arguments twice there. */
const valueOf = (text: string): string => JSON.stringify(parseJson(parseJson(text)));
