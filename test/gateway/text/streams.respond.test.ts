import { parseResponse, raw, readStream, toStream, usage } from '../../support/textResponses';

describe('a streamed response', () => {
	it('of the responses endpoint ends incomplete where tokens ran out, with what there is', () => {
		const response = {
			id: 'r',
			status: 'incomplete',
			output: [{ type: 'message', content: [{ text: 'Half' }] }],
		};
		const { parser } = readStream('respond', toStream({ type: 'response.incomplete', response }));

		expect(parser.isComplete).toBe(true);
		expect(parser.result()).toMatchObject({ texts: ['Half'], finishReasons: ['incomplete'] });
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
				id: 'r',
				texts: ['A harbour'],
				finishReasons: ['completed'],
				usage,
				cost: 7,
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

	it('of the responses endpoint keeps sources, pictures and reasoning beside its words, where the last event has none', () => {
		const annotations = [{ type: 'url_citation', url: 'https://example.com' }];
		const picture = { type: 'output_image', image_url: 'https://example.com/a.png' };
		const items = [
			{ type: 'reasoning', summary: [{ text: 'Hm' }] },
			{ type: 'message', content: [{ type: 'output_text', text: 'Hi', annotations }, picture] },
		];
		const { parser } = readStream(
			'respond',
			toStream(
				{ type: 'response.output_text.delta', delta: 'Hi' },
				...items.map((item) => ({ type: 'response.output_item.done', item })),
				{ type: 'response.completed', response: { status: 'completed' } },
			),
		);

		expect(parser.result()).toMatchObject({
			texts: ['Hi'],
			annotations,
			images: [picture],
			raw: { output: items },
		});
	});

	it.each([
		['repeats a stale status', { status: 'in_progress', output: [] }, ['Hi'], 'Hi'],
		['has the text without an end of line', {}, ['Hi', '\n'], 'Hi'],
		['has what each piece repeated', {}, ['H', 'Hi'], 'Hi'],
	])(
		'of the responses endpoint has its answer where the last event %s',
		(_what, given, deltas, text) => {
			const content = [{ type: 'output_text', text: 'Hi', annotations: [{ url: 'a' }] }];
			const response = { status: 'completed', output: [{ type: 'message', content }], ...given };
			const { parser } = readStream(
				'respond',
				toStream(
					...deltas.map((delta) => ({ type: 'response.output_text.delta', delta })),
					{ type: 'response.output_item.done', item: { type: 'message', content } },
					{ type: 'response.completed', response },
				),
			);

			expect([parser.failure, parser.isComplete]).toEqual([undefined, true]);
			expect(parser.result()).toMatchObject({
				texts: [text],
				finishReasons: ['completed'],
				annotations: [{ url: 'a' }],
			});
		},
	);

	it('of the responses endpoint has a message that came whole, where the last event lists something else', () => {
		const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
		const output = [{ type: 'reasoning', summary: [] }];
		const { parser } = readStream(
			'respond',
			toStream(
				{ type: 'response.output_item.done', item: message },
				{ type: 'response.completed', response: { status: 'completed', output } },
			),
		);

		expect(parser.result().texts).toEqual(['Hi']);
	});

	it('of the responses endpoint has words that come as a whole, and not twice', () => {
		const done = { type: 'response.output_text.done', text: 'Hi' };
		const empty = { type: 'response.output_text.delta', delta: '' };
		const refused = { type: 'response.refusal.done', refusal: ' No' };
		expect(readStream('respond', toStream(empty, done, refused)).added).toEqual(['Hi', ' No']);

		const delta = { type: 'response.output_text.delta', delta: 'Hi', item_id: 'm' };
		const { parser, added } = readStream('respond', toStream(delta, done));
		expect([added, parser.result().texts]).toEqual([['Hi'], ['Hi']]);
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

	it('of the responses endpoint has its calls where no last event repeats them', () => {
		const item = { type: 'function_call', call_id: 'c', name: 'lookup', arguments: '{}' };
		const { parser } = readStream(
			'respond',
			toStream({ type: 'response.output_item.done', item }) + 'data: [DONE]\n\n',
		);

		expect(parser.result().toolCalls).toEqual([{ id: 'c', name: 'lookup', arguments: {} }]);
		expect(parser.isComplete).toBe(true);
	});
});
