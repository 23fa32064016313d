/** One event of a Server-Sent Events stream. */
export interface SseEvent {
	/** The `event:` line. */
	event?: string;
	data: string;
}

/** Reads events from chunks that may end anywhere. Comments and other fields are skipped. */
export class SseReader {
	/** The line that has not ended yet. */
	private line = '';
	private endsWithCr = false;
	private event: string | undefined;
	private data: string[] = [];

	/** Returns the events that this chunk completes. Two line feeds end the last one of a stream. */
	push(chunk: string): SseEvent[] {
		// A line feed after a carriage return is one line end, also across chunks.
		const text = this.endsWithCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
		if (chunk !== '') this.endsWithCr = chunk.endsWith('\r');
		const lines = text.split(/\r\n|\n|\r/);
		lines[0] = this.line + lines[0];
		this.line = lines.pop()!;
		return lines.flatMap((line) => this.readLine(line));
	}

	private readLine(line: string): SseEvent[] {
		if (line === '') {
			const { event, data } = this;
			this.event = undefined;
			this.data = [];
			return data.length ? [{ event, data: data.join('\n') }] : [];
		}
		const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
		if (name === 'event') this.event = value;
		if (name === 'data') this.data.push(value);
		return [];
	}
}

/** Lines without data, which keep a connection open. */
const NO_DATA = /^(:|event:|id:|retry:)/;
const COMMENT = /^:/;

/** Tells for each piece of a stream whether it carries data, not only comments. */
export function createDataDetector(): (piece: Uint8Array) => boolean {
	const decoder = new TextDecoder();
	/** The start of the line that has not ended. */
	let start = '';
	return (piece) => {
		const [first = '', ...more] = decoder.decode(piece, { stream: true }).split(/[\r\n]/);
		const lines = [start + first, ...more];
		const last = lines.at(-1)!;
		start = last.slice(0, 'retry:'.length);
		// An incomplete name may become that of an event with data.
		const isData = (line: string, index: number) =>
			line.trim() !== '' && !(index < lines.length - 1 ? NO_DATA : COMMENT).test(line);
		return lines.some((line, index) => (index > 0 || first.trim() !== '') && isData(line, index));
	};
}
