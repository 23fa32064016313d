import { textAdapters } from '../../../nodes/gateway/text';
import type { JsonObject } from '../../../nodes/gateway/json';
import { readStream, toStream, usage } from '../../support/textResponses';

describe('a streamed response', () => {
	it('keeps the model that a later chunk leaves empty', () => {
		const chunks = ['gp-5', ''].map((model) => ({ model, choices: [{ delta: { content: 'A' } }] }));

		expect(readStream('chat', toStream(...chunks)).parser.result().model).toBe('gp-5');
	});

	it('counts the tokens that stand in a choice', () => {
		const last = { delta: {}, finish_reason: 'stop', usage: { total_tokens: 17 } };
		const chunk = { choices: [last], usage: { total_tokens: null } };
		const { parser } = readStream(
			'chat',
			toStream(chunk, { choices: [], usage: { total_tokens: null } }),
		);

		expect(parser.result().usage).toMatchObject({ total: 17 });
	});

	it.each([null, 0])('counts no tokens as %j that were known before', (input_tokens) => {
		const { parser } = readStream(
			'message',
			toStream(
				{ type: 'message_start', message: { usage: { input_tokens: 12, output_tokens: 1 } } },
				{ type: 'message_delta', usage: { input_tokens, output_tokens: 5 } },
			),
		);

		expect(parser.result().usage).toEqual({ input: 12, output: 5, total: 17 });
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

	it('keeps the pictures that come beside the text', () => {
		const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
		for (const holder of [{ images: [picture] }, { content: [picture] }]) {
			const events = [{ content: 'Here' }, holder, { content: ' it is' }];
			const { parser } = readStream(
				'chat',
				toStream(...events.map((delta) => ({ choices: [{ delta }] }))),
			);

			expect(parser.result()).toMatchObject({ texts: ['Here it is'], images: [picture] });
		}
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
			finishReasons: ['function_call'],
			toolCalls: [{ name: 'look', arguments: { a: 1 } }],
		});
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
			expect(parser.result()).toMatchObject({ texts: ['Aa'], finishReasons: ['stop'] });
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

		expect(parser.result().finishReasons[0]).toBe('length');
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
			id: 'c',
			model: 'gp-5',
			usage,
			cost: 7,
			texts: ['A'],
			finishReasons: ['stop'],
		});
	});

	it('of chat completions states the charge that its last chunk has', () => {
		const end = { choices: [{ delta: {}, finish_reason: 'stop' }], cost: 7 };

		expect(readStream('chat', toStream({ id: 'c' }, end)).parser.result().cost).toBe(7);
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
