import { textAdapters } from '../../../nodes/gateway/text';
import { type Endpoint, parseResponse, raw, usage } from '../../support/textResponses';

describe('a whole response', () => {
	it('of chat completions is read', () => {
		expect(parseResponse('chat', raw('chat.json'))).toEqual({
			id: 'chatcmpl-1',
			model: 'gp-4.1-2026',
			texts: [''],
			finishReasons: ['function_call'],
			usage,
			cost: undefined,
			raw: raw('chat.json'),
			toolCalls: [{ id: 'call_1', name: 'lookup', arguments: { city: 'Ghent' } }],
		});
	});

	it('of the responses endpoint is read without what was only thought', () => {
		expect(parseResponse('respond', raw('response.json'))).toMatchObject({
			id: 'resp_1',
			model: 'gp-5',
			texts: ['A harbour at dusk.'],
			finishReasons: ['completed'],
			usage,
			toolCalls: [{ id: 'call_1', name: 'lookup', arguments: { city: 'Ghent' } }],
		});
	});

	it('of the messages endpoint is read', () => {
		expect(parseResponse('message', raw('message.json'))).toMatchObject({
			model: 'cld-haiku-4.5',
			texts: ['Let me look. One moment.'],
			finishReasons: ['tool_use'],
			usage,
			toolCalls: [{ id: 'toolu_1', name: 'lookup', arguments: { city: 'Ghent' } }],
		});
	});

	it('of generateContent is read with all its candidates', () => {
		expect(parseResponse('generateContent', raw('candidates.json'))).toMatchObject({
			model: 'gmn-2.5-flash-002',
			texts: ['A harbour', 'A quay'],
			finishReasons: ['STOP', 'STOP'],
			usage,
			toolCalls: [{ name: 'lookup', arguments: { city: 'Ghent' } }],
		});
	});

	it.each([
		[{ candidatesTokenCount: 5, totalTokenCount: 27 }, 15],
		[{ totalTokenCount: 27 }, 15],
		[{ candidatesTokenCount: 5, totalTokenCount: 12 }, 5],
		[{ candidatesTokenCount: 5 }, 5],
		[{}, undefined],
	])('of generateContent counts what was thought as output: %j', (counts, output) => {
		const usageMetadata = { promptTokenCount: 12, ...counts };
		const answer = parseResponse('generateContent', { candidates: [{}], usageMetadata });

		expect(answer!.usage).toMatchObject({ input: 12, output });
	});

	it.each([
		[12, 12],
		[0, 0],
		[0.011, undefined],
		[-1, undefined],
		['12', undefined],
	])('states a charge of %j only where it is quota', (cost, expected) => {
		const answers = [
			parseResponse('chat', { choices: [{}], usage: { cost } }),
			parseResponse('chat', { choices: [{}], cost }),
			parseResponse('respond', { output: [], usage: { cost } }),
			parseResponse('message', { content: [], usage: { cost } }),
			parseResponse('generateContent', { candidates: [{}], cost }),
		];

		expect(answers.map((answer) => answer!.cost)).toEqual(Array(5).fill(expected));
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
		[
			'a refusal in place of content',
			'chat',
			{ choices: [{ message: { content: null, refusal: 'No' } }] },
			['No'],
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
	] as const)('is read by %s', (_name, endpoint, body, texts) => {
		expect(parseResponse(endpoint, body)).toMatchObject({ texts });
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
		expect(parseResponse('chat', body)?.toolCalls).toEqual([
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
	] as const)('of %s keeps its pictures as they came', (endpoint, body, images) => {
		expect(parseResponse(endpoint, body)?.images).toEqual(images);
	});

	it('of the responses endpoint has the words of a refusal', () => {
		const content = [{ type: 'refusal', refusal: 'No' }];

		expect(parseResponse('respond', { output: [{ type: 'message', content }] })?.texts).toEqual([
			'No',
		]);
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
		expect(parseResponse('chat', body)?.toolCalls).toEqual([
			{ name: 'a', arguments: '{"b":' },
			{ name: 'c', arguments: undefined },
		]);
	});

	it.each(Object.keys(textAdapters) as Endpoint[])(
		'is none of %s where it is empty',
		(endpoint) => {
			expect(parseResponse(endpoint, {})).toBeUndefined();
		},
	);

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
		[
			'a response without a message yet',
			'respond',
			{ status: 'in_progress', output: [{ type: 'reasoning', summary: [] }] },
			{ error: 'The response is still in progress' },
		],
		[
			'a blocked prompt',
			'generateContent',
			{ promptFeedback: { blockReason: 'SAFETY' } },
			{ error: 'The prompt was blocked (SAFETY)' },
		],
		[
			'candidates beside a reason to block',
			'generateContent',
			{ candidates: [{}], promptFeedback: { blockReason: 'OTHER' } },
			undefined,
		],
		['an error of null', 'respond', { status: 'completed', error: null }, undefined],
		['an error without content', 'chat', { error: { code: 0, message: '' } }, undefined],
	] as const)('states why there is none: %s', (_name, endpoint, body, failure) => {
		expect(textAdapters[endpoint].findFailure(body)).toEqual(failure);
	});
});

describe('an answer in another form', () => {
	const content = (text: unknown) => ({ choices: [{ message: { content: text } }] });

	it.each([
		['a text of the messages endpoint', 'message', { content: 'Hi' }],
		['one part instead of a list', 'chat', content({ type: 'text', text: 'Hi' })],
		[
			'an answer behind what the model thought',
			'generateContent',
			{ candidates: [{ content: { parts: [{ text: 'Well', thought: true }, { text: 'Hi' }] } }] },
		],
	] as const)('is read: %s', (_name, endpoint, body) => {
		expect(parseResponse(endpoint, body)?.texts).toEqual(['Hi']);
	});

	it.each([
		['message', { type: 'error', code: 503, content: 'Service Unavailable' }],
		['message', { code: 401, message: 'bad key', content: '' }],
	] as const)('is no error: of %s, %j', (endpoint, body) => {
		expect(parseResponse(endpoint, body)).toBeUndefined();
	});

	it.each([
		[{ type: 'refusal', refusal: 'No' }, 'No'],
		[{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, ''],
		[{}, ''],
	])('is the text of one part: %j', (part, text) => {
		expect(parseResponse('chat', content(part))?.texts).toEqual([text]);
	});

	it('of several alternatives comes in their order', () => {
		const choices = ['one', 'zero'].map((words, at) => ({
			index: 1 - at,
			message: { content: words },
		}));

		expect(parseResponse('chat', { choices })?.texts).toEqual(['zero', 'one']);
	});

	it('may be a JSON object', () => {
		expect(parseResponse('chat', content({ kite: 'red' }))?.texts).toEqual(['{"kite":"red"}']);
	});

	it('may hold pictures beside the text of chat or in it', () => {
		const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
		const beside = { choices: [{ message: { content: 'Here', images: [picture] } }] };

		expect(parseResponse('chat', beside)?.images).toEqual([picture]);
		expect(parseResponse('chat', content([picture]))?.images).toEqual([picture]);
		const both = { choices: [{ message: { content: [picture], images: [picture] } }] };
		expect(parseResponse('chat', both)?.images).toEqual([picture]);
	});
});
