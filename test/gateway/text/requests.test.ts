import { textAdapters } from '../../../nodes/gateway/text';
import type { MessageFile, TextMessage, TextRequest } from '../../../nodes/gateway/text/adapter';
import { jsonInstruction, mergeBodies } from '../../../nodes/gateway/text/requestBody';

type Endpoint = keyof typeof textAdapters;
const endpoints = Object.keys(textAdapters) as Endpoint[];

const message = (more: Partial<TextMessage> = {}): TextMessage => ({
	role: 'user',
	text: 'Describe it.',
	imageUrls: [],
	videoUrls: [],
	files: [],
	...more,
});
const toRequest = (endpoint: Endpoint, more: Partial<TextRequest> = {}) =>
	textAdapters[endpoint].toRequest({
		model: 'some-model',
		messages: [message()],
		system: '',
		parameters: {},
		...more,
	});
const png: MessageFile = { type: 'image/png', base64: 'AAAA' };
const mp4: MessageFile = { type: 'video/mp4', base64: 'BBBB' };
const link = 'https://example.com/a.png';
const schema = { type: 'object', properties: { a: { type: 'number' } } };

/** One case for each endpoint; a new endpoint does not compile without its own. */
type Cases = Record<Endpoint, Record<string, unknown>>;

describe.each(endpoints)('a request of %s', (endpoint) => {
	it('holds a message', () => {
		const expected: Cases = {
			chat: { model: 'some-model', messages: [{ role: 'user', content: 'Describe it.' }] },
			respond: {
				model: 'some-model',
				input: [{ role: 'user', content: [{ type: 'input_text', text: 'Describe it.' }] }],
			},
			message: { model: 'some-model', messages: [{ role: 'user', content: 'Describe it.' }] },
			generateContent: { contents: [{ role: 'user', parts: [{ text: 'Describe it.' }] }] },
		};
		expect(toRequest(endpoint)).toEqual(expected[endpoint]);
	});

	it('holds system instructions', () => {
		const expected: Cases = {
			chat: {
				messages: [
					{ role: 'system', content: 'Be brief.' },
					{ role: 'user', content: 'Describe it.' },
				],
			},
			respond: {
				input: [
					{ role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
					{ role: 'user', content: [{ type: 'input_text', text: 'Describe it.' }] },
				],
			},
			message: { system: 'Be brief.', messages: [{ role: 'user', content: 'Describe it.' }] },
			generateContent: {
				contents: [{ role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Describe it.' }] }],
			},
		};
		expect(toRequest(endpoint, { system: 'Be brief.' })).toMatchObject(expected[endpoint]);
	});

	it('holds links and files beside the text', () => {
		const image = (url: string) => ({ type: 'image_url', image_url: { url } });
		const expected: Cases = {
			chat: {
				messages: [
					{
						role: 'user',
						content: [
							{ type: 'text', text: 'Describe it.' },
							image(link),
							image('data:image/png;base64,AAAA'),
						],
					},
				],
			},
			respond: {
				input: [
					{
						role: 'user',
						content: [
							{ type: 'input_text', text: 'Describe it.' },
							{ type: 'input_image', image_url: link },
							{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
						],
					},
				],
			},
			message: {
				messages: [
					{
						role: 'user',
						content: [
							{ type: 'image', source: { type: 'url', url: link } },
							{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
							{ type: 'text', text: 'Describe it.' },
						],
					},
				],
			},
			generateContent: {
				contents: [
					{
						role: 'user',
						parts: [
							{ text: 'Describe it.' },
							{ inlineData: { mimeType: 'image/png', data: 'AAAA' } },
						],
					},
				],
			},
		};
		const messages = [message({ imageUrls: [link], files: [png] })];
		expect(toRequest(endpoint, { messages })).toMatchObject(expected[endpoint]);
	});

	it('needs no text beside a file', () => {
		const text = JSON.stringify(
			toRequest(endpoint, { messages: [message({ text: '', files: [png] })] }),
		);

		expect(text).toContain('AAAA');
		expect(text).not.toContain('"text":""');
	});

	it('asks for JSON', () => {
		const words = jsonInstruction({});
		const expected: Cases = {
			chat: { response_format: { type: 'json_object' } },
			respond: { text: { format: { type: 'json_object' } } },
			message: { system: `Be brief.\n\n${words}` },
			generateContent: {
				contents: [{ parts: [{ text: 'Be brief.' }, { text: 'Describe it.' }, { text: words }] }],
			},
		};
		expect(toRequest(endpoint, { json: {}, system: 'Be brief.' })).toMatchObject(
			expected[endpoint],
		);
	});

	it('asks for JSON of a schema', () => {
		const words = jsonInstruction({ schema });
		const expected: Cases = {
			chat: { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } },
			respond: { text: { format: { type: 'json_schema', name: 'answer', schema } } },
			message: { system: words },
			generateContent: { contents: [{ parts: [{ text: 'Describe it.' }, { text: words }] }] },
		};
		expect(words).toContain(JSON.stringify(schema));
		expect(toRequest(endpoint, { json: { schema } })).toMatchObject(expected[endpoint]);
	});

	it('leaves a format of Extra Body as it is, unless there is a schema', () => {
		const format = { type: 'json_schema', name: 'own' };
		const extraBody = { response_format: format, text: { format } };
		const formatOf = (json: { schema?: object }) => {
			const body = toRequest(endpoint, { json: json as never, extraBody });
			return endpoint === 'chat' ? body.response_format : (body.text as { format: unknown }).format;
		};

		expect(formatOf({})).toEqual(format);
		const isTaken = ['chat', 'respond'].includes(endpoint);
		expect(JSON.stringify(formatOf({ schema })).includes('answer')).toBe(isTaken);
	});

	it('holds parameters under their wire names', () => {
		const expected: Cases = {
			chat: { temperature: 0.5 },
			respond: { temperature: 0.5 },
			message: { temperature: 0.5 },
			generateContent: { generationConfig: { temperature: 0.5 } },
		};
		expect(toRequest(endpoint, { parameters: { temperature: 0.5 } })).toMatchObject(
			expected[endpoint],
		);
	});

	it('takes messages that have its form already, unchanged', () => {
		const raw = [{ role: 'user', content: 'As it is.', parts: [] }];
		const body = toRequest(endpoint, { messages: { raw } });

		expect(Object.values(body)).toContainEqual(raw);
	});

	it('changes none of the messages that it was given', () => {
		const raw = [{ role: 'user', content: 'As it is.', parts: [{ text: 'As it is.' }] }];
		const before = JSON.stringify(raw);
		toRequest(endpoint, { messages: { raw }, system: 'Be brief.', json: {} });

		expect(JSON.stringify(raw)).toBe(before);
	});

	it('takes further parameters from Extra Body, which loses against what is set', () => {
		const extraBody = {
			user: 'row-17',
			model: 'other',
			temperature: 2,
			messages: 'x',
			input: 'x',
			contents: 'x',
			generationConfig: { topK: 3, temperature: 2 },
		};
		const body = toRequest(endpoint, { parameters: { temperature: 0.5 }, extraBody });
		const expected: Cases = {
			chat: { user: 'row-17', model: 'some-model', temperature: 0.5, messages: [{}] },
			respond: { user: 'row-17', model: 'some-model', temperature: 0.5, input: [{}] },
			message: { user: 'row-17', model: 'some-model', temperature: 0.5, messages: [{}] },
			generateContent: {
				user: 'row-17',
				generationConfig: { topK: 3, temperature: 0.5 },
				contents: [{}],
			},
		};
		expect(body).toMatchObject(expected[endpoint]);
	});
});

it('holds a video where the endpoint takes one', () => {
	const messages = [message({ text: '', videoUrls: ['https://example.com/a.mp4'], files: [mp4] })];
	const linked = [message({ text: '', files: [{ ...mp4, url: 'https://n8n.example.com/b' }] })];
	const contentOf = (given: TextMessage[]) =>
		(toRequest('respond', { messages: given }).input as { content: unknown[] }[])[0]!.content;

	expect(contentOf(messages)).toEqual([
		{ type: 'input_video', video_url: 'https://example.com/a.mp4' },
		{ type: 'input_video', video_url: 'data:video/mp4;base64,BBBB' },
	]);
	expect(contentOf(linked)).toEqual([
		{ type: 'input_video', video_url: 'https://n8n.example.com/b' },
	]);
});

it('keeps safety settings beside the configuration of generateContent', () => {
	const parameters = { safetySettings: [{ category: 'A' }], topK: 3 };

	expect(toRequest('generateContent', { parameters })).toMatchObject({
		generationConfig: { topK: 3 },
		safetySettings: [{ category: 'A' }],
	});
	expect(toRequest('generateContent')).not.toHaveProperty('generationConfig');
});

it('writes a model into the path of generateContent as one segment', () => {
	expect(textAdapters.generateContent.path('gmn-2.5-flash')).toBe(
		'/v1/models/gmn-2.5-flash:generateContent',
	);
	expect(textAdapters.generateContent.path('a/b')).toBe('/v1/models/a%2Fb:generateContent');
});

describe('two bodies as one', () => {
	it('are merged at every level, and the second wins', () => {
		const first = { a: { b: { c: 1, d: 1 }, e: 1 }, list: [1], kept: null };
		const second = { a: { b: { c: 2 }, f: 2 }, list: [2], more: undefined };

		expect(mergeBodies(first, second)).toEqual({
			a: { b: { c: 2, d: 1 }, e: 1, f: 2 },
			list: [2],
			kept: null,
			more: undefined,
		});
		expect(first).toEqual({ a: { b: { c: 1, d: 1 }, e: 1 }, list: [1], kept: null });
	});

	it('are not merged where one of the values is no object', () => {
		expect(mergeBodies({ a: { b: 1 }, c: 1 }, { a: 2, c: { d: 1 } })).toEqual({
			a: 2,
			c: { d: 1 },
		});
	});
});

describe('instructions of the messages endpoint', () => {
	const words = jsonInstruction({});
	const blocks = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
	const json = {};

	it.each<[string, Partial<TextRequest>, unknown]>([
		['blocks', { system: blocks }, blocks],
		['blocks, for JSON', { system: blocks, json }, [...blocks, { type: 'text', text: words }]],
		['Extra Body, for JSON', { extraBody: { system: 'Be brief.' }, json }, `Be brief.\n\n${words}`],
		[
			'blocks in Extra Body, for JSON',
			{ extraBody: { system: blocks }, json },
			[...blocks, { type: 'text', text: words }],
		],
		['one block in Extra Body', { extraBody: { system: blocks[0] } }, blocks],
		['a field and Extra Body', { system: 'A', extraBody: { system: 'B' } }, 'A'],
		['nothing', {}, undefined],
	])('come from %s', (_name, more, system) => {
		expect(toRequest('message', more).system).toEqual(system);
	});
});

it('sends a data URI to the messages endpoint as base64', () => {
	const drawing = 'data:image/svg+xml,%3Csvg%3E';
	const imageUrls = ['DATA:image/png;base64,AAAA', link, drawing];

	expect(toRequest('message', { messages: [message({ imageUrls })] }).messages).toMatchObject([
		{
			content: [
				{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
				{ type: 'image', source: { type: 'url', url: link } },
				{ type: 'image', source: { type: 'url', url: drawing } },
				{ type: 'text' },
			],
		},
	]);
});

it.each([[{ text: 'Why?' }], 'Why?', [{ text: 'Why?' }]])(
	'adds instructions to what a message of generateContent has: %j',
	(parts) => {
		const raw = [
			{ role: 'model', parts: [{ text: 'Hello' }] },
			{ role: 'user', parts },
		];
		const { contents } = toRequest('generateContent', { messages: { raw }, system: 'Be brief.' });

		expect(contents).toEqual([
			raw[0],
			{ role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Why?' }] },
		]);
	},
);
