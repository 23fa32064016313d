import { textAdapters } from '../../../nodes/gateway/text';
import type { JsonObject } from '../../../nodes/gateway/json';
import type { TextAdapter } from '../../../nodes/gateway/text/adapter';
import { SseReader } from '../../../nodes/gateway/text/sse';
import { type Endpoint, fixture, parseResponse, raw, usage } from '../../support/textResponses';

describe('a streamed response', () => {
	const readStream = (endpoint: Endpoint, stream: string) => {
		const reader = new SseReader();
		const parser = (textAdapters[endpoint] as TextAdapter).createStreamParser!();
		const added = [...reader.push(stream), ...reader.end()].map((event) => parser.push(event));
		return { parser, added: added.filter(Boolean) };
	};
	const toStream = (...chunks: unknown[]) =>
		chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

	it('of the messages endpoint is what the whole one would have been', () => {
		const { parser, added } = readStream('message', fixture('message-stream.txt'));

		expect(parser.isComplete).toBe(true);
		expect(added).toEqual(['Let me look. ', 'One moment.']);
		expect({ ...parser.result(), raw: 0 }).toEqual({
			...parseResponse('message', raw('message.json')),
			raw: 0,
		});
	});

	it('is not complete until its end marker', () => {
		const lines = fixture('message-stream.txt').split('\n\n');
		const { parser } = readStream('message', lines.slice(0, 5).join('\n\n'));

		expect([parser.isComplete, parser.hasEnded, parser.hasStarted]).toEqual([false, false, true]);
		expect(parser.result().texts).toEqual(['Let me look. One moment.']);
	});

	it('of the messages endpoint is complete with its stop reason, and states its charge', () => {
		const delta = (stop_reason: string) => ({
			type: 'message_delta',
			delta: { stop_reason },
			cost: 7,
		});
		const { parser } = readStream('message', toStream(delta('')));
		expect(parser.isComplete).toBe(false);

		const ended = readStream('message', toStream(delta('end_turn'), { type: 'ping' })).parser;
		expect([ended.isComplete, ended.hasEnded]).toEqual([true, false]);
		expect(ended.result()).toMatchObject({ finishReason: 'end_turn', cost: 7 });
	});

	it('of the messages endpoint takes the input of a call in one piece', () => {
		const block = { type: 'tool_use', id: 't', name: 'lookup', input: { city: 'Ghent' } };
		const start = { type: 'content_block_start', index: 0, content_block: block };
		const { parser } = readStream('message', toStream(start));

		expect(parser.result().toolCalls).toEqual([
			{ id: 't', name: 'lookup', arguments: { city: 'Ghent' } },
		]);
	});

	it('of the responses endpoint ends incomplete where tokens ran out, with what there is', () => {
		const response = {
			id: 'r',
			status: 'incomplete',
			output: [{ type: 'message', content: [{ text: 'Half' }] }],
		};
		const { parser } = readStream('respond', toStream({ type: 'response.incomplete', response }));

		expect(parser.isComplete).toBe(true);
		expect(parser.result()).toMatchObject({ texts: ['Half'], finishReason: 'incomplete' });
	});

	it.each([
		['failed', { error: { message: 'No' } }, { error: { message: 'No' } }],
		['failed', {}, { error: 'The response failed' }],
		['cancelled', { status: 'cancelled' }, { error: 'The response was cancelled' }],
		['cancelled', {}, { error: 'The response was cancelled' }],
	])('of the responses endpoint that ends %s holds no answer', (end, response, failure) => {
		const { parser } = readStream('respond', toStream({ type: `response.${end}`, response }));

		expect(parser.failure).toEqual(failure);
	});

	it('joins pieces of several alternatives in one chunk, and tells tool calls apart by their IDs', () => {
		const toolCall = (id: string | undefined, name: string | undefined, more: string) => ({
			id,
			function: { name, arguments: more },
		});
		const chunks = [
			{
				choices: [
					{ index: 0, delta: { content: 'A' } },
					{ index: 1, delta: { content: 'B' } },
				],
			},
			{
				choices: [
					{ index: 1, delta: { content: 'b' } },
					{ index: 0, delta: { content: 'a', tool_calls: [toolCall('c1', 'one', '{"x"')] } },
				],
			},
			{
				choices: [
					{
						index: 0,
						delta: {
							tool_calls: [toolCall(undefined, undefined, ':1}'), toolCall('c2', 'two', '{}')],
						},
						finish_reason: 'tool_calls',
					},
				],
			},
		];
		const { parser, added } = readStream('chat', toStream(...chunks));

		expect(added).toEqual(['A', 'a']);
		expect(parser.result()).toMatchObject({
			texts: ['Aa', 'Bb'],
			toolCalls: [
				{ id: 'c1', name: 'one', arguments: { x: 1 } },
				{ id: 'c2', name: 'two', arguments: {} },
			],
		});
	});

	it.each([
		['whole behind a role', [[{ role: 'assistant' }, 'Paid']]],
		['whole beside an empty delta', [[{}, 'Paid']]],
		[
			'in pieces',
			[
				[undefined, 'Pa'],
				[undefined, 'id'],
			],
		],
		[
			'so far',
			[
				[undefined, 'Pa'],
				[undefined, 'Paid'],
			],
		],
	])('of chat completions may have messages instead of deltas: %s', (_what, chunks) => {
		const events = chunks.map(([delta, content]) => ({
			choices: [{ delta, message: { content } }],
		}));
		const { parser, added } = readStream('chat', toStream(...events));

		expect([added.join(''), parser.result().texts]).toEqual(['Paid', ['Paid']]);
	});

	it('of chat completions has its text once where each chunk repeats the message so far', () => {
		const chunk = (delta: object | undefined, content: string) => ({
			choices: [{ delta, message: { content } }],
		});
		const chunks = [chunk({}, ''), chunk({ content: 'A' }, 'A'), chunk({}, 'A')];
		const { parser } = readStream('chat', toStream(...chunks, chunk(undefined, 'A')));

		expect(parser.result().texts).toEqual(['A']);
	});

	it('of chat completions has the words of a refusal', () => {
		const delta = { content: null, refusal: 'No' };
		const { parser, added } = readStream('chat', toStream({ choices: [{ delta }] }));

		expect([added, parser.result().texts]).toEqual([['No'], ['No']]);
	});

	it('joins the older form of a call', () => {
		const chunks = [
			{ function_call: { name: 'look', arguments: '{"a"' } },
			{ function_call: { arguments: ':1}' } },
		].map((delta) => ({ choices: [{ delta }] }));
		const end = { choices: [{ delta: {}, finish_reason: 'function_call' }] };
		const { parser } = readStream('chat', toStream(...chunks, end));

		expect(parser.result()).toMatchObject({
			finishReason: 'function_call',
			toolCalls: [{ name: 'look', arguments: { a: 1 } }],
		});
	});

	it('takes the name of an event where its data has no type', () => {
		const { parser } = readStream(
			'respond',
			'event: response.output_text.delta\ndata: {"delta":"A"}\n\nevent: error\ndata: {"message":"No"}\n\n',
		);

		expect(parser.result().texts[0]).toBe('A');
		expect(parser.failure).toEqual({ message: 'No' });
	});

	it('of chat completions is complete when every alternative has ended, and ends at its marker', () => {
		const choice = (index: number, content: string, finish_reason: string | null = null) => ({
			choices: [{ index, delta: { content }, finish_reason }],
		});
		const chunks = [choice(0, 'A'), choice(1, 'B'), choice(0, 'a', 'stop')];
		const isComplete = (...more: object[]) =>
			readStream('chat', toStream(...chunks, ...more)).parser.isComplete;

		expect([isComplete(), isComplete(choice(1, 'b', 'stop'))]).toEqual([false, true]);
		expect(isComplete(choice(1, 'b', ''))).toBe(false);
		expect(isComplete(choice(1, '', 'stop'), choice(2, 'C'))).toBe(false);
		const { parser } = readStream('chat', 'data: [DONE]\n\n');
		expect([parser.isComplete, parser.hasEnded]).toEqual([true, true]);
	});

	it.each([1, 1_000_000, 4_294_967_296, -1, 0.5, '1', 'abc', '__proto__', null, {}])(
		'of chat completions keeps its text where the index is %j',
		(index) => {
			const chunks = [
				{ choices: [{ index, delta: { content: 'A' } }] },
				{ choices: [{ index, delta: { content: 'a' }, finish_reason: 'stop' }] },
			];
			const { parser, added } = readStream('chat', toStream(...chunks));

			expect([added, parser.isComplete]).toEqual([['A', 'a'], true]);
			expect(parser.result()).toMatchObject({ texts: ['Aa'], finishReason: 'stop' });
			expect(parser.result().raw).toMatchObject({ choices: [{ index: 0 }] });
		},
	);

	it('of chat completions keeps its text where a first chunk has another index', () => {
		const start = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] };
		const end = { choices: [{ index: -1, delta: { content: 'A' }, finish_reason: 'stop' }] };

		expect(readStream('chat', toStream(start, end)).parser.result().texts).toEqual(['A']);
	});

	it('of chat completions has the finish reason of the first alternative', () => {
		const choices = ['length', 'stop'].map((finish_reason, index) => ({
			choices: [{ index, delta: { content: 'A' }, finish_reason }],
		}));
		const { parser } = readStream('chat', toStream(...choices));

		expect(parser.result().finishReason).toBe('length');
		expect(parser.result().raw).toMatchObject({
			choices: [{ finish_reason: 'length' }, { finish_reason: 'stop' }],
		});
	});

	it('of chat completions counts tokens and charge where a late chunk brings them', () => {
		const { parser } = readStream(
			'chat',
			toStream(
				{ id: 'c', model: 'gp-5', choices: [{ delta: { content: 'A' }, finish_reason: 'stop' }] },
				{ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, cost: 7 } },
			),
		);

		expect(parser.result()).toMatchObject({ id: 'c', model: 'gp-5', usage, cost: 7, texts: ['A'] });
		expect(textAdapters.chat.parseResponse(parser.result().raw as JsonObject)).toMatchObject({
			...{ id: 'c', model: 'gp-5', usage, cost: 7, texts: ['A'], finishReason: 'stop' },
		});
	});

	it('of chat completions states the charge that its last chunk has', () => {
		const end = { choices: [{ delta: {}, finish_reason: 'stop' }], cost: 7 };

		expect(readStream('chat', toStream({ id: 'c' }, end)).parser.result().cost).toBe(7);
	});

	it('of the messages endpoint has no call for a tool that the gateway runs itself', () => {
		const block = { type: 'server_tool_use', id: 's', name: 'search' };
		const { parser } = readStream(
			'message',
			toStream(
				{ type: 'message_start', message: { id: 'm', stop_reason: 'end_turn' } },
				{ type: 'content_block_start', index: 0, content_block: block },
				{ type: 'content_block_delta', index: 0, delta: { partial_json: '{"q":1}' } },
			),
		);

		expect(parser.result().toolCalls).toEqual([]);
		// It has only begun.
		expect(parser.isComplete).toBe(false);
	});

	it('of the responses endpoint is what the whole one would have been', () => {
		const { parser, added } = readStream(
			'respond',
			toStream(
				{ type: 'response.created', response: { id: 'resp_1', model: 'gp-5' } },
				{ type: 'response.output_text.delta', delta: 'A harbour' },
				{ type: 'response.output_text.delta', delta: ' at dusk.' },
				{ type: 'response.completed', response: raw('response.json') },
			),
		);

		expect(added).toEqual(['A harbour', ' at dusk.']);
		expect(parser.result()).toEqual(parseResponse('respond', raw('response.json')));
		expect([parser.isComplete, parser.hasEnded]).toEqual([true, true]);
	});

	it.each([
		['nothing', []],
		['a call only', [{ type: 'function_call', call_id: 'c', name: 'lookup', arguments: '{}' }]],
	])(
		'of the responses endpoint keeps its words where the last event repeats %s',
		(_what, output) => {
			const response = {
				id: 'r',
				status: 'completed',
				output,
				usage: { ...raw('response.json').usage! },
			};
			const { parser } = readStream(
				'respond',
				toStream(
					{ type: 'response.output_text.delta', delta: 'A harbour' },
					{ type: 'response.completed', response: { ...response, cost: 7 } },
				),
			);

			expect(parser.result()).toMatchObject({
				...{ id: 'r', texts: ['A harbour'], finishReason: 'completed', usage, cost: 7 },
				toolCalls: output.map(({ name }) => ({ name })),
			});
		},
	);

	it.each([
		['lists nothing', { output: [] }],
		['has no list', {}],
	])('of the responses endpoint keeps its calls where the last event %s', (_what, response) => {
		const item = { type: 'function_call', call_id: 'c', name: 'lookup', arguments: '{}' };
		const events = [
			{ type: 'response.output_item.done', item },
			{ type: 'response.completed', response: { status: 'completed', ...response } },
		];
		for (const words of [[], [{ type: 'response.output_text.delta', delta: 'Hi' }]]) {
			const { parser } = readStream('respond', toStream(...words, ...events));

			expect(parser.result()).toMatchObject({
				texts: [words.length ? 'Hi' : ''],
				toolCalls: [{ id: 'c', name: 'lookup' }],
			});
		}
	});

	it('of the responses endpoint has a message that came whole, where the last event has none', () => {
		const item = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
		const done = { type: 'response.output_item.done', item };
		const completed = { type: 'response.completed', response: { status: 'completed' } };

		expect(readStream('respond', toStream(done, completed)).parser.result().texts).toEqual(['Hi']);
		const delta = { type: 'response.output_text.delta', delta: 'Hi' };
		expect(readStream('respond', toStream(delta, done, delta)).parser.result().texts).toEqual([
			'HiHi',
		]);
	});

	it('of the responses endpoint has the words of a refusal', () => {
		const delta = { type: 'response.refusal.delta', delta: 'No' };
		const { parser, added } = readStream('respond', toStream(delta));

		expect([added, parser.result().texts]).toEqual([['No'], ['No']]);
	});

	it('of the responses endpoint holds what has come before it broke off', () => {
		const { parser } = readStream(
			'respond',
			toStream(
				{ type: 'response.created', response: { id: 'resp_1', model: 'gp-5' } },
				{ type: 'response.output_text.delta', delta: 'A harbour' },
			),
		);

		expect(parser.isComplete).toBe(false);
		expect(parser.result()).toMatchObject({ id: 'resp_1', model: 'gp-5', texts: ['A harbour'] });
	});

	it.each(['', 'null', '7', 'ping', '[]'])('passes over an event of %j', (data) => {
		for (const adapter of Object.values(textAdapters) as TextAdapter[]) {
			const parser = adapter.createStreamParser?.();
			expect(parser?.push({ data }) ?? '').toBe('');
			expect(parser?.hasStarted ?? false).toBe(false);
		}
	});

	it('tells calls apart that come with one index and different IDs', () => {
		const piece = (id: string, name: string) => ({
			choices: [
				{ delta: { tool_calls: [{ index: 0, id, function: { name, arguments: '{"x":1}' } }] } },
			],
		});
		const { parser } = readStream('chat', toStream(piece('c1', 'one'), piece('c2', 'two')));

		expect(parser.result().toolCalls).toEqual([
			{ id: 'c1', name: 'one', arguments: { x: 1 } },
			{ id: 'c2', name: 'two', arguments: { x: 1 } },
		]);
	});

	it('of the responses endpoint has its calls where no last event repeats them', () => {
		const item = { type: 'function_call', call_id: 'c', name: 'lookup', arguments: '{}' };
		const { parser } = readStream(
			'respond',
			toStream({ type: 'response.output_item.done', item }) + 'data: [DONE]\n\n',
		);

		expect(parser.result().toolCalls).toEqual([{ id: 'c', name: 'lookup', arguments: {} }]);
		expect(parser.isComplete).toBe(true);
	});

	it('reads the name of a call that each piece repeats', () => {
		const piece = (more: string) => ({
			choices: [{ delta: { tool_calls: [toolPiece('lookup', more)] } }],
		});
		const toolPiece = (name: string, more: string) => ({
			index: 0,
			id: 'c',
			function: { name, arguments: more },
		});
		const { parser } = readStream('chat', toStream(piece('{"x"'), piece(':1}')));

		expect(parser.result().toolCalls).toEqual([{ id: 'c', name: 'lookup', arguments: { x: 1 } }]);
	});

	it('joins interleaved pieces of calls by their index, and keeps those of alternatives apart', () => {
		const piece = (alternative: number, index: number, more: object) => ({
			choices: [{ index: alternative, delta: { tool_calls: [{ index, function: more }] } }],
		});
		const { parser } = readStream(
			'chat',
			toStream(
				piece(0, 0, { name: 'one', arguments: '{"x"' }),
				piece(0, 1, { name: 'two', arguments: '{"y"' }),
				piece(1, 0, { name: 'three', arguments: '' }),
				piece(0, 0, { arguments: ':1}' }),
				piece(0, 1, { arguments: ':2}' }),
			),
		);

		expect(parser.result().toolCalls).toMatchObject([
			{ name: 'one', arguments: { x: 1 } },
			{ name: 'two', arguments: { y: 2 } },
			{ name: 'three', arguments: {} },
		]);
	});
});
