import { textAdapters } from '../../../nodes/gateway/text';
import type { TextAdapter } from '../../../nodes/gateway/text/adapter';
import { fixture, parseResponse, raw, readStream, toStream } from '../../support/textResponses';

describe('a streamed response', () => {
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
		expect(ended.result()).toMatchObject({ finishReasons: ['end_turn'], cost: 7 });
	});

	it('of the messages endpoint says at which sequence it stopped', () => {
		const delta = { stop_reason: 'stop_sequence', stop_sequence: 'END' };
		const { parser } = readStream('message', toStream({ type: 'message_delta', delta }));

		expect(parser.result().raw).toMatchObject(delta);
	});

	it('of the messages endpoint takes the input of a call in one piece', () => {
		const block = { type: 'tool_use', id: 't', name: 'lookup', input: { city: 'Ghent' } };
		const start = { type: 'content_block_start', index: 0, content_block: block };
		const { parser } = readStream('message', toStream(start));

		expect(parser.result().toolCalls).toEqual([
			{ id: 't', name: 'lookup', arguments: { city: 'Ghent' } },
		]);
	});

	it.each([
		['its first piece', 'A har', ['bour']],
		['all of it', 'A harbour', []],
		['all of it, which is repeated', 'A harbour', ['A harbour']],
	])(
		'of the messages endpoint has the text of a block that starts with %s',
		(_what, text, more) => {
			const block = { type: 'content_block_start', content_block: { type: 'text', text } };
			const { parser, added } = readStream(
				'message',
				toStream(
					block,
					...more.map((piece) => ({
						type: 'content_block_delta',
						delta: { type: 'text_delta', text: piece },
					})),
					{ type: 'content_block_stop' },
					{ type: 'content_block_start', content_block: { type: 'thinking', text: 'Hm' } },
					{ type: 'message_stop' },
				),
			);

			expect([added, parser.result().texts]).toEqual([['A harbour'], ['A harbour']]);
		},
	);

	it('takes the name of an event where its data has no type', () => {
		const { parser } = readStream(
			'respond',
			'event: response.output_text.delta\ndata: {"delta":"A"}\n\nevent: error\ndata: {"message":"No"}\n\n',
		);

		expect(parser.result().texts[0]).toBe('A');
		expect(parser.failure).toEqual({ message: 'No' });
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

	it.each(['', 'null', '7', 'ping', '[]'])('passes over an event of %j', (data) => {
		for (const adapter of Object.values(textAdapters) as TextAdapter[]) {
			const parser = adapter.createStreamParser?.();
			expect(parser?.push({ data }) ?? '').toBe('');
			expect(parser?.hasStarted ?? false).toBe(false);
		}
	});
});
