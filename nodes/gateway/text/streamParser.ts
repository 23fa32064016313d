import { isObject, listAt, objectAt, omitBlank, parseJson, textAt, type JsonObject } from '../json';
import { findError, type TextResult } from './schema';
import type { SseEvent } from './sse';

/** Reads JSON objects and `[DONE]`. Shapes are not shown (spec section 6): the usual ones are read, others skipped. */
export abstract class StreamParser {
	/** A stream that just stops is not complete. */
	isComplete = false;
	/** Nothing follows, though the connection may stay open. */
	hasEnded = false;
	hasStarted = false;
	/** The first event is the failure, so the request was not carried out. */
	hasFailedAtOnce = false;
	/** An object with an error, where the stream said so. */
	failure: unknown;
	/** Of the first alternative, so far. Before, a model may think for minutes. */
	words = '';
	protected readonly usage: JsonObject = {};

	/** Returns the text that the event adds to the first alternative. */
	push({ event = '', data }: SseEvent): string {
		if (data.trim() === '[DONE]') this.end();
		const value = parseJson(data);
		const isError = event === 'error';
		if (!isObject(value) && !isError) return '';
		const isFirst = !this.hasStarted;
		this.hasStarted = true;
		const chunk = isObject(value) ? value : { error: data };
		const type = textAt(chunk, 'type') || event;
		this.failure = findError(chunk) ?? (isError || type === 'error' ? chunk : undefined);
		const added = this.add(chunk, type);
		this.words += added;
		this.hasFailedAtOnce =
			isFirst && this.failure !== undefined && !listAt(chunk, 'choices').length;
		return added;
	}

	/** Adds the counts in `usage` of each part. They only grow: a last event may say 0 of what an earlier one counted. */
	protected addUsage(...parts: JsonObject[]): void {
		for (const part of parts)
			for (const [name, count] of Object.entries(omitBlank(objectAt(part, 'usage')))) {
				const known = this.usage[name];
				const isLess = typeof known === 'number' && typeof count === 'number' && count < known;
				if (!isLess) this.usage[name] = count;
			}
	}

	protected end(): void {
		this.isComplete = this.hasEnded = true;
	}

	/** Returns the text that the chunk adds to the first alternative. */
	protected abstract add(chunk: JsonObject, type: string): string;

	/** The answer so far. */
	abstract result(): TextResult;
}
