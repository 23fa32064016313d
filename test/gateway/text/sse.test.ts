import { createDataDetector, SseReader } from '../../../nodes/gateway/text/sse';

/** Every event of a stream that comes in these chunks. */
function read(...chunks: string[]) {
	const reader = new SseReader();
	return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.push('\n\n')];
}

const data = (...chunks: string[]) => read(...chunks).map((event) => event.data);

describe('reading a stream of events', () => {
	it('ends an event at an empty line', () => {
		expect(data('data: a\n\ndata: b\n\n')).toEqual(['a', 'b']);
	});

	it.each([
		['line feeds', '\n'],
		['carriage returns and line feeds', '\r\n'],
		['carriage returns', '\r'],
	])('takes lines that end in %s', (_name, end) => {
		expect(data(`data: a${end}${end}data: b${end}${end}`)).toEqual(['a', 'b']);
	});

	it('reads the same wherever the chunks are cut', () => {
		const stream =
			'event: delta\r\ndata: {"text":"käse 🧀"}\r\n\r\n: ping\r\ndata:{"a":1}\r\ndata: {"b":2}\r\n\r\ndata: [DONE]\r\n\r\n';
		const whole = read(stream);

		for (let cut = 0; cut <= stream.length; cut += 1)
			expect(read(stream.slice(0, cut), stream.slice(cut))).toEqual(whole);
		expect(read(...stream)).toEqual(whole);
		expect(whole).toEqual([
			{ event: 'delta', data: '{"text":"käse 🧀"}' },
			{ event: undefined, data: '{"a":1}\n{"b":2}' },
			{ event: undefined, data: '[DONE]' },
		]);
	});

	it('gives an event as soon as it is complete, and not before', () => {
		const reader = new SseReader();

		expect(reader.push('data: a\n')).toEqual([]);
		expect(reader.push('\n')).toEqual([{ data: 'a' }]);
		expect(reader.push('\n\n')).toEqual([]);
	});

	it('passes over comments, other fields and events without data', () => {
		expect(data(': keep-alive\n\nid: 7\nretry: 100\n\nevent: ping\n\ndata: a\nid: 8\n\n')).toEqual([
			'a',
		]);
	});

	it('does not carry the name of one event over to the next', () => {
		expect(read('event: one\ndata: 1\n\ndata: 2\n\n')).toEqual([
			{ event: 'one', data: '1' },
			{ event: undefined, data: '2' },
		]);
	});

	it('takes away one space after the colon, and needs none', () => {
		expect(data('data:a\n\ndata:  b\n\ndata\n\n')).toEqual(['a', ' b', '']);
	});

	it.each([['data: a'], ['data: a\n'], ['data: a\r'], ['data: a\r\n']])(
		'gives the event that a stream ended within: %j',
		(stream) => {
			expect(data(stream)).toEqual(['a']);
		},
	);

	it('takes a carriage return and a line feed in two chunks for one line end', () => {
		const reader = new SseReader();

		expect(reader.push('data: a\r')).toEqual([]);
		expect(reader.push('\ndata: b\r')).toEqual([]);
		expect(reader.push('')).toEqual([]);
		expect(reader.push('\n\r')).toEqual([{ data: 'a\nb' }]);
		expect(reader.push('\n')).toEqual([]);
		expect(reader.push('\n\n')).toEqual([]);
	});

	it('reads one long line in many chunks, in time that grows with its length only', () => {
		const reader = new SseReader();
		const piece = 'x'.repeat(16);
		const startedAt = process.cpuUsage().user;
		reader.push('data: ');
		for (let count = 0; count < 200_000; count += 1) reader.push(piece);
		const [event] = reader.push('\n\n');

		expect(event!.data).toHaveLength(200_000 * 16);
		// Joining the line anew for each chunk would take minutes.
		expect(process.cpuUsage().user - startedAt).toBeLessThan(5_000_000);
	});

	it('finds no events in an answer that is no stream', () => {
		expect(read('{\n  "choices": [],\n\n  "id": "x"\n}')).toEqual([]);
	});
});

describe('a piece of a stream', () => {
	const detect = (...pieces: string[]) => {
		const hasData = createDataDetector();
		return pieces.map((piece) => hasData(new TextEncoder().encode(piece)));
	};

	it.each([
		[
			[': ping\n\n', 'data: a\n\n'],
			[false, true],
		],
		[
			[': pi', 'ng\r', '\n', '\r\n'],
			[false, false, false, false],
		],
		[
			['event: ping\nid: 1\n', 'retry: 9\n\n'],
			[false, false],
		],
		[['event: delta\ndata: a\n\n'], [true]],
		[
			['data: a long', ' text: b', '\n: c'],
			[true, true, false],
		],
		[
			['{"choices": ', '[]', '}', ' \n '],
			[true, true, true, false],
		],
	])('of %j has data: %j', (pieces, expected) => expect(detect(...pieces)).toEqual(expected));
});
