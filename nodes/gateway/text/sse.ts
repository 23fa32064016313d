/** One event of a Server-Sent Events stream. */
export interface SseEvent {
	/** The `event:` line; streams without one are told apart by their data. */
	event?: string;
	data: string;
}

/**
 * Reads a stream as it comes: chunks may end anywhere, also within a line. Comments and fields other
 * than `event` and `data` are passed over.
 */
export class SseReader {
	private rest = '';
	private event: string | undefined;
	private data: string[] = [];

	/** The events that are complete with this chunk. */
	push(chunk: string): SseEvent[] {
		const lines = (this.rest + chunk).split(/\r\n|\n|\r(?!$)/);
		this.rest = lines.pop() ?? '';
		return lines.flatMap((line) => this.line(line));
	}

	/** What a stream that ended without a last empty line still holds. */
	end(): SseEvent[] {
		return [...this.push('\n'), ...this.line('')];
	}

	private line(line: string): SseEvent[] {
		if (line === '') {
			const event = { event: this.event, data: this.data.join('\n') };
			const isEmpty = this.data.length === 0;
			this.event = undefined;
			this.data = [];
			return isEmpty ? [] : [event];
		}
		const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
		if (name === 'event') this.event = value;
		if (name === 'data') this.data.push(value);
		return [];
	}
}
