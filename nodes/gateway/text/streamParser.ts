import type { JsonObject } from '../context';
import { isObject, parseJson } from '../json';
import { findError, type TextStreamParser } from './adapter';
import { textAt, type TextResult } from './schema';
import type { SseEvent } from './sse';

/** Reads the events of a stream: JSON objects, and `[DONE]`. */
export abstract class StreamParser implements TextStreamParser {
	isComplete = false;
	hasEnded = false;
	hasStarted = false;
	failure: unknown;

	push({ event = '', data }: SseEvent): string {
		if (data.trim() === '[DONE]') this.end();
		const chunk = parseJson(data);
		if (!isObject(chunk)) return '';
		this.hasStarted = true;
		const type = textAt(chunk, 'type') || event;
		this.failure = findError(chunk) ?? (type === 'error' ? chunk : undefined);
		return this.add(chunk, type);
	}

	protected end(): void {
		this.isComplete = this.hasEnded = true;
	}

	/** Returns the text that the chunk adds to the first alternative. */
	protected abstract add(chunk: JsonObject, type: string): string;

	abstract result(): TextResult;
}
