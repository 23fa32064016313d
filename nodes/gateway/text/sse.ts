/** One event of a Server-Sent Events stream. */
export interface SseEvent {
	/** The `event:` line; events without one are distinguished by their data. */
	event?: string;
	data: string;
}

/**
 * Reads a stream as it comes: chunks may end anywhere, also within a line. Comments and fields other
 * than `event` and `data` are passed over.
 */
export class SseReader {
	/** Pieces of the line that has not ended yet; joined once, however many chunks it takes. */
	private pieces: string[] = [];
	private endsWithCr = false;
	private event: string | undefined;
	private data: string[] = [];

	/** The events that are complete with this chunk. */
	push(chunk: string): SseEvent[] {
		// A line feed after a carriage return belongs to the same line end, also over two chunks.
		const text = this.endsWithCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
		if (chunk !== '') this.endsWithCr = chunk.endsWith('\r');
		const lines = text.split(/\r\n|\n|\r/);
		const rest = lines.pop()!;
		const events = lines.flatMap((line) => {
			const whole = [...this.pieces, line].join('');
			this.pieces = [];
			return this.readLine(whole);
		});
		if (rest) this.pieces.push(rest);
		return events;
	}

	/** What a stream that ended without a last empty line still holds. */
	end(): SseEvent[] {
		return [...this.push('\n'), ...this.readLine('')];
	}

	private readLine(line: string): SseEvent[] {
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

/** Lines that carry no data; servers send them to keep a connection open. */
const NO_DATA = /^(:|event:|id:|retry:)/;
const COMMENT = /^:/;

/** Whether a piece of a stream carries data: of an event, or of JSON in its place. For one stream after the other. */
export function createDataDetector(): (piece: Uint8Array) => boolean {
	const decoder = new TextDecoder();
	/** How the line begins that has not ended yet. */
	let start = '';
	return (piece) => {
		const [first = '', ...more] = decoder.decode(piece, { stream: true }).split(/[\r\n]/);
		const lines = [start + first, ...more];
		const last = lines.at(-1)!;
		start = last.slice(0, 'retry:'.length);
		// A name that is not over yet may be that of an event with data.
		const isData = (line: string, index: number) =>
			line.trim() !== '' && !(index < lines.length - 1 ? NO_DATA : COMMENT).test(line);
		return lines.some((line, index) => (index > 0 || first.trim() !== '') && isData(line, index));
	};
}
