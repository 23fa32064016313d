import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SseReader } from '../../../nodes/gateway/text/sse';
import { parseReply } from '../../../nodes/gateway/text/replies';
import { TextStream } from '../../../nodes/gateway/text/stream';

const fixture = (name: string) =>
	readFileSync(join(__dirname, '../../fixtures/text', name), 'utf8');
const raw = (name: string): unknown => JSON.parse(fixture(name));
const usage = { input: 12, output: 5, total: 17 };

describe('a whole reply', () => {
	it('of chat completions is read', () => {
		expect(parseReply('chat', raw('chat.json'))).toEqual({
			id: 'chatcmpl-1',
			model: 'gp-4.1-2026',
			texts: [''],
			finishReason: 'function_call',
			usage,
			cost: undefined,
			raw: raw('chat.json'),
			toolCalls: [{ id: 'call_1', name: 'lookup', arguments: { city: 'Ghent' } }],
		});
	});

	it('of the responses endpoint is read without what was only thought', () => {
		expect(parseReply('respond', raw('response.json'))).toMatchObject({
			id: 'resp_1',
			model: 'gp-5',
			texts: ['A harbour at dusk.'],
			finishReason: 'completed',
			usage,
			toolCalls: [{ id: 'call_1', name: 'lookup', arguments: { city: 'Ghent' } }],
		});
	});

	it('of the messages endpoint is read', () => {
		expect(parseReply('message', raw('message.json'))).toMatchObject({
			model: 'cld-haiku-4.5',
			texts: ['Let me look. One moment.'],
			finishReason: 'tool_use',
			usage,
			toolCalls: [{ id: 'toolu_1', name: 'lookup', arguments: { city: 'Ghent' } }],
		});
	});

	it('of generateContent is read with all its candidates', () => {
		expect(parseReply('generateContent', raw('candidates.json'))).toMatchObject({
			model: 'gmn-2.5-flash-002',
			texts: ['A harbour', 'A quay'],
			finishReason: 'STOP',
			usage,
			toolCalls: [{ name: 'lookup', arguments: { city: 'Ghent' } }],
		});
	});

	it.each([
		[
			'content in parts',
			'chat',
			{
				choices: [{ message: { content: [{ type: 'text', text: 'A' }, 'B', { type: 'image' }] } }],
			},
			['AB'],
		],
		['the older form of completions', 'chat', { choices: [{ text: 'A' }] }, ['A']],
		[
			'entries that are none',
			'chat',
			{ choices: [null, 'x', { message: { content: 'A' } }] },
			['A'],
		],
		[
			'an entry without a type',
			'respond',
			{ output: [{ content: 'A' }, { type: 'reasoning', content: 'B' }] },
			['A'],
		],
		[
			'two messages',
			'respond',
			{
				output: [
					{ type: 'message', content: 'A' },
					{ type: 'message', content: [{ text: 'B' }] },
				],
			},
			['A\nB'],
		],
		[
			'fields of other types',
			'message',
			{
				id: 7,
				model: null,
				content: [{ type: 'text', text: 'A' }],
				usage: 'much',
				stop_reason: {},
			},
			['A'],
		],
		[
			'a candidate without content',
			'generateContent',
			{ candidates: [{ finishReason: 'SAFETY' }] },
			[''],
		],
	] as const)('is read by %s', (_name, style, body, texts) => {
		expect(parseReply(style, body)).toMatchObject({ texts });
	});

	it.each([
		[
			'the older form of a call',
			{
				choices: [
					{
						finish_reason: 'function_call',
						message: { content: null, function_call: { name: 'look', arguments: '{"a":1}' } },
					},
				],
			},
		],
		[
			'both forms of one call',
			{
				choices: [
					{
						message: {
							tool_calls: [{ function: { name: 'look', arguments: '{"a":1}' } }],
							function_call: { name: 'look', arguments: '{"a":1}' },
						},
					},
				],
			},
		],
	])('calls a tool in %s', (_name, body) => {
		expect(parseReply('chat', body)?.toolCalls).toEqual([
			{ id: undefined, name: 'look', arguments: { a: 1 } },
		]);
	});

	it.each([
		[
			'respond',
			{
				output: [
					{
						type: 'message',
						content: [
							{ type: 'output_text', text: 'A' },
							{ type: 'output_image', image_url: 'https://e.com/a.png' },
						],
					},
				],
			},
			[{ type: 'output_image', image_url: 'https://e.com/a.png' }],
		],
		[
			'respond',
			{ output: [{ type: 'output_image', b64: 'AAAA' }] },
			[{ type: 'output_image', b64: 'AAAA' }],
		],
		[
			'generateContent',
			{
				candidates: [
					{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } },
				],
			},
			[{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
		],
		['respond', { output: [{ type: 'message', content: 'A' }] }, undefined],
	] as const)('of %s keeps its pictures as they came', (style, body, images) => {
		expect(parseReply(style, body)?.images).toEqual(images);
	});

	it('keeps arguments that are not JSON as they came', () => {
		const body = {
			choices: [
				{
					message: {
						tool_calls: [
							{ function: { name: 'a', arguments: '{"b":' } },
							{ function: { name: 'c' } },
						],
					},
				},
			],
		};
		expect(parseReply('chat', body)?.toolCalls).toEqual([
			{ name: 'a', arguments: '{"b":' },
			{ name: 'c', arguments: undefined },
		]);
	});

	it.each([
		['text', 'Hello'],
		['a list', []],
		['null', null],
		['nothing', undefined],
	])('is none where it is %s', (_name, body) => {
		expect(parseReply('chat', body)).toBeUndefined();
	});

	it.each([
		['an error beside it', 'chat', { error: { message: 'No' } }, { error: { message: 'No' } }],
		[
			'a failed response',
			'respond',
			{ status: 'failed', error: null },
			{ error: 'The response failed' },
		],
		[
			'a cancelled response',
			'respond',
			{ status: 'cancelled', output: [] },
			{ error: 'The response was cancelled' },
		],
		['an error of null', 'respond', { status: 'completed', error: null }, undefined],
	] as const)('tells why there is none: %s', (_name, style, body, refusal) => {
		expect(parseReply(style, body)?.refusal).toEqual(refusal);
	});
});

describe('a streamed reply', () => {
	const joined = (style: 'chat' | 'respond' | 'message', stream: string) => {
		const reader = new SseReader();
		const answer = new TextStream(style);
		const added = [...reader.push(stream), ...reader.end()].map((event) => answer.take(event));
		return { answer, added: added.filter(Boolean) };
	};

	it('of the messages endpoint is what the whole one would have been', () => {
		const { answer, added } = joined('message', fixture('message-stream.txt'));

		expect(answer.isWhole).toBe(true);
		expect(added).toEqual(['Let me look. ', 'One moment.']);
		expect({ ...answer.answer(), raw: 0 }).toEqual({
			...parseReply('message', raw('message.json')),
			raw: 0,
		});
	});

	it('is not whole until it says so', () => {
		const lines = fixture('message-stream.txt').split('\n\n');
		const { answer } = joined('message', lines.slice(0, 5).join('\n\n'));

		expect([answer.isWhole, answer.hasBegun, answer.text]).toEqual([
			false,
			true,
			'Let me look. One moment.',
		]);
		expect(answer.answer().texts).toEqual(['Let me look. One moment.']);
	});

	it('of the responses endpoint ends incomplete where tokens ran out, with what there is', () => {
		const response = {
			id: 'r',
			status: 'incomplete',
			output: [{ type: 'message', content: [{ text: 'Half' }] }],
		};
		const { answer } = joined(
			'respond',
			`data: ${JSON.stringify({ type: 'response.incomplete', response })}\n\n`,
		);

		expect(answer.isWhole).toBe(true);
		expect(answer.answer()).toMatchObject({ texts: ['Half'], finishReason: 'incomplete' });
	});

	it.each([
		['failed', { error: { message: 'No' } }, { error: { message: 'No' } }],
		['failed', {}, { error: 'The response failed' }],
		['cancelled', { status: 'cancelled' }, { error: 'The response was cancelled' }],
		['cancelled', {}, { error: 'The response was cancelled' }],
	])('of the responses endpoint that ends %s holds no answer', (end, response, refusal) => {
		const { answer } = joined(
			'respond',
			`data: ${JSON.stringify({ type: `response.${end}`, response })}\n\n`,
		);

		expect(answer.refusal).toEqual(refusal);
	});

	it('joins pieces of several alternatives in one chunk, and calls that are told apart by their IDs', () => {
		const call = (id: string | undefined, name: string | undefined, more: string) => ({
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
					{ index: 0, delta: { content: 'a', tool_calls: [call('c1', 'one', '{"x"')] } },
				],
			},
			{
				choices: [
					{
						index: 0,
						delta: { tool_calls: [call(undefined, undefined, ':1}'), call('c2', 'two', '{}')] },
						finish_reason: 'tool_calls',
					},
				],
			},
		];
		const { answer, added } = joined(
			'chat',
			chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''),
		);

		expect(added).toEqual(['A', 'a']);
		expect(answer.answer()).toMatchObject({
			texts: ['Aa', 'Bb'],
			toolCalls: [
				{ id: 'c1', name: 'one', arguments: { x: 1 } },
				{ id: 'c2', name: 'two', arguments: {} },
			],
		});
	});

	it('joins the older form of a call', () => {
		const chunks = [
			{ function_call: { name: 'look', arguments: '{"a"' } },
			{ function_call: { arguments: ':1}' } },
		].map((delta) => ({ choices: [{ delta }] }));
		const end = { choices: [{ delta: {}, finish_reason: 'function_call' }] };
		const { answer } = joined(
			'chat',
			[...chunks, end].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''),
		);

		expect(answer.answer()).toMatchObject({
			finishReason: 'function_call',
			toolCalls: [{ name: 'look', arguments: { a: 1 } }],
		});
	});

	it('takes the name of an event where its data has no type', () => {
		const { answer } = joined(
			'respond',
			'event: response.output_text.delta\ndata: {"delta":"A"}\n\nevent: error\ndata: {"message":"No"}\n\n',
		);

		expect(answer.text).toBe('A');
		expect(answer.refusal).toEqual({ message: 'No' });
	});
});
