import type { IDataObject } from 'n8n-workflow';
import {
	bodiesTo,
	endpoint,
	ENDPOINTS,
	refusalOf,
	toMessage,
	sentTo,
	textParameters,
} from '../support/conversation';
import { modelId, NODE, useGateway } from '../support/gateway';

const gateway = useGateway();
const hello = [toMessage('Hello')];
const optionsOf = (style: string, options: IDataObject) => {
	const { max_tokens, ...rest } = options;
	return style === 'message' && max_tokens !== undefined
		? { max_tokens, options: rest }
		: { options };
};

const refusal = async (style: string, more: IDataObject, messages = hello) =>
	await refusalOf(gateway, style, more, messages);

describe('a parameter', () => {
	const four = ['a', 'b', 'c', 'd'];
	it.each<[string, IDataObject]>([
		['chat', { temperature: 0 }],
		['chat', { temperature: 2 }],
		['chat', { top_p: 0 }],
		['chat', { top_p: 1 }],
		['chat', { frequency_penalty: -2 }],
		['chat', { frequency_penalty: 2 }],
		['chat', { presence_penalty: -2 }],
		['chat', { presence_penalty: 2 }],
		['chat', { stop: four }],
		['chat', { max_tokens: 1 }],
		['chat', { stop: ['\n\n', ' END'] }],
		['respond', { temperature: 0 }],
		['respond', { temperature: 2 }],
		['respond', { max_tokens: 1 }],
		['message', { temperature: 0 }],
		['message', { temperature: 1 }],
		['message', { top_p: 0 }],
		['message', { top_p: 1 }],
		['message', { top_k: 5 }],
		['message', { max_tokens: 1 }],
		['message', { stop_sequences: four }],
		['message', { metadata: { user_id: 'u' } }],
		['generateContent', { temperature: 0 }],
		['generateContent', { temperature: 2 }],
		['generateContent', { maxOutputTokens: 9, topP: 0.5, topK: 3 }],
	])('of %s is accepted up to its limits: %j', async (style, given) => {
		const one = endpoint(style as 'chat');
		const run = await gateway.run(one.menu, {
			...textParameters(one, hello),
			...optionsOf(style, given),
		});

		expect(run.error).toBeUndefined();
		expect(sentTo(gateway, one).map(({ status }) => status)).toEqual([200]);
		const [body] = bodiesTo(gateway, one) as [IDataObject];
		expect(style === 'generateContent' ? body.generationConfig : body).toMatchObject(given);
	});

	it('of chat in Extra Body may be one stop sequence, as a text', async () => {
		const one = endpoint('chat');
		const options = { extra_body: '{ "stop": "END" }' };
		await gateway.run(one.menu, textParameters(one, hello, { options }));

		expect(bodiesTo(gateway, one)).toMatchObject([{ stop: 'END' }]);
	});

	it.each<[string, IDataObject, string]>([
		['chat', { temperature: 2.1 }, 'Temperature must be 0 to 2, but is 2.1'],
		['chat', { temperature: -0.1 }, 'Temperature must be 0 to 2, but is -0.1'],
		['chat', { top_p: 1.1 }, 'Top P must be 0 to 1, but is 1.1'],
		['chat', { top_p: -0.1 }, 'Top P must be 0 to 1, but is -0.1'],
		['chat', { frequency_penalty: 2.1 }, 'Frequency Penalty must be -2 to 2, but is 2.1'],
		['chat', { presence_penalty: -2.1 }, 'Presence Penalty must be -2 to 2, but is -2.1'],
		['chat', { stop: [...four, 'e'] }, 'Stop Sequences has 5 entries; at most 4 are allowed'],
		['chat', { max_tokens: 1.5 }, 'Maximum Tokens must be '],
		['respond', { temperature: 2.1 }, 'Temperature must be 0 to 2, but is 2.1'],
		['message', { temperature: 1.1 }, 'Temperature must be 0 to 1, but is 1.1'],
		['message', { max_tokens: 0 }, 'Maximum Tokens must be at least 1, but is 0'],
		['message', { stop_sequences: [...four, 'e'] }, 'Stop Sequences has 5 entries'],
		['message', { metadata: 'me' }, 'Metadata must be '],
		['generateContent', { temperature: 2.1 }, 'Temperature must be 0 to 2, but is 2.1'],
	])('of %s is refused beyond its limits: %j', async (style, given, words) => {
		expect(await refusal(style, optionsOf(style, given))).toContain(words);
	});

	it.each<[string, IDataObject, string]>([
		['chat', { temperature: 5 }, 'Temperature must be 0 to 2, but is 5'],
		['message', { stop_sequences: [...four, 'e'] }, 'Stop Sequences has 5 entries'],
		[
			'generateContent',
			{ generationConfig: { temperature: 3 } },
			'Temperature must be 0 to 2, but is 3',
		],
	])('of %s in Extra Body has the same limits: %j', async (style, extra, words) => {
		expect(await refusal(style, { options: { extra_body: JSON.stringify(extra) } })).toContain(
			words,
		);
	});

	it('that an expression made a text is sent as a number', async () => {
		const one = endpoint('chat');
		await gateway.run(
			one.menu,
			textParameters(one, hello, {
				options: { temperature: '={{ "0.5" }}', stop: '={{ ["x", "y"] }}', max_tokens: '' },
			}),
		);

		expect(bodiesTo(gateway, one)).toEqual([
			{
				model: one.model,
				messages: [{ role: 'user', content: 'Hello' }],
				temperature: 0.5,
				stop: ['x', 'y'],
			},
		]);
	});

	it('is reported with all other issues', async () => {
		const one = endpoint('chat');
		const run = await gateway.run(
			one.menu,
			textParameters(one, [toMessage('')], { options: { temperature: 3, top_p: 2 } }),
		);

		expect(run.nodeError(NODE)?.message).toBe('Message 1 is empty');
		expect(run.nodeError(NODE)?.description).toBe(
			[
				'Temperature must be 0 to 2, but is 3',
				'Top P must be 0 to 1, but is 2',
				'Nothing was sent and nothing was billed.',
			].join('<br>'),
		);
	});
});

describe('a model', () => {
	it.each([
		[
			'chat',
			'gp-5-codex',
			'Model gp-5-codex is not available here. Use Text > Send a Message with Tools or Video',
		],
		[
			'message',
			'gp-4.1',
			'Model gp-4.1 is not available here. Use Text > Send a Message or Text > Send a Message with Tools or Video',
		],
		[
			'generateContent',
			'cld-haiku-4.5',
			'Use Text > Send a Message, Text > Send a Message with Tools or Video or Text > Send a Message (Messages Format)',
		],
		...ENDPOINTS.map(
			({ style }) =>
				[style, 'clipk-v3', 'Model clipk-v3 is for videos, not text'] as [string, string, string],
		),
		['chat', 'gp-4o-image', 'Model gp-4o-image is for images, not text'],
		['chat', ' ', 'Model is empty'],
	])('of another endpoint is refused by %s: %s', async (style, model, words) => {
		expect(await refusal(style, { model: modelId(model) })).toContain(words);
	});

	it.each(ENDPOINTS)('that no list names passes on $style', async (one) => {
		gateway.sandbox.settings.extraTextModels = ['gp-9-turbo'];
		const run = await gateway.run(one.menu, textParameters({ model: 'gp-9-turbo' }, hello));

		expect(run.json(NODE)).toEqual([
			expect.objectContaining({ text: 'You said: Hello', model: 'gp-9-turbo' }),
		]);
	});
});

describe('messages', () => {
	it.each<[string, string, IDataObject[], string]>([
		[
			'that do not alternate',
			'message',
			[toMessage('a'), toMessage('b'), toMessage('c', 'assistant')],
			'Messages 1 and 2 both have the role user, but user and assistant must take turns',
		],
		['that are none', 'chat', [], 'Messages is empty'],
		['that are empty', 'chat', [toMessage('a'), toMessage(' ', 'assistant')], 'Message 2 is empty'],
		[
			'of a role that is not taken',
			'message',
			[toMessage('a', 'system')],
			'Message 1 must have the role user or assistant, but has "system"',
		],
		[
			'of the role of another endpoint',
			'generateContent',
			[toMessage('a', 'assistant')],
			'Message 1 must have the role user or model, but has "assistant"',
		],
		[
			'with a link that is none',
			'chat',
			[toMessage('a', 'user', { image_url: 'photo.png' })],
			'Message 1 must have links that start with http:// or https://, but has "photo.png". Put names of binary fields into Input Data Field Names',
		],
		[
			'with a file that is missing',
			'chat',
			[toMessage('a', 'user', { binaryFields: 'data' })],
			'Message 1 names a file, but the item has no file in "data"; it carries no files',
		],
		[
			'with an expression for a picture that finds nothing',
			'respond',
			[toMessage('What is this?', 'user', { image_url: '={{ $json.urls[0] }}' })],
			'Image URL of message 1 has an expression that finds nothing in this item',
		],
		[
			'with an expression for a video that finds nothing',
			'respond',
			[toMessage('What is this?', 'user', { video_url: ['={{ $json.urls?.[0] }}'] })],
			'Video URL of message 1 has an expression that finds nothing in this item',
		],
	])('%s are refused', async (_name, style, messages, words) => {
		expect(await refusal(style, {}, messages)).toContain(`${words}`);
	});

	it.each([
		['that do not read', '[{', 'this is not JSON'],
		['that are no list', '{ "role": "user" }', 'Messages must be a JSON list, but is '],
		['that are none', '[]', 'Messages is empty'],
		[
			'that do not alternate',
			'[{ "role": "user", "content": "a" }, { "role": "user", "content": "b" }]',
			'must take turns',
		],
	])('as JSON %s are refused', async (_name, messagesJson, words) => {
		expect(await refusal('message', { messagesFrom: 'json', messagesJson })).toContain(words);
	});

	it.each([
		[
			'generateContent',
			'[{ "role": "assistant", "parts": [] }]',
			'Message 1 must have the role user or model, but has "assistant"',
		],
		[
			'message',
			'[{ "role": "system", "content": "a" }, { "role": "user", "content": "b" }]',
			'Message 1 must have the role user or assistant, but has "system"',
		],
		[
			'respond',
			'[{ "role": "user", "content": "a" }, { "role": "tool", "content": "b" }]',
			'Message 2 must have the role user, assistant or system, but has "tool"',
		],
		['respond', '["hi"]', 'Message 1 must be an object, but is "hi"'],
		['chat', '[{ "content": "a" }]', 'Message 1 has no role; it must be user, assistant or system'],
	])('as JSON for %s must have its roles: %s', async (style, messagesJson, words) => {
		expect(await refusal(style, { messagesFrom: 'json', messagesJson })).toContain(words);
	});

	it.each([
		[
			'chat',
			[
				{ role: 'user', content: 'a' },
				{ role: 'tool', tool_call_id: 'c', content: 'b' },
			],
		],
		[
			'respond',
			[
				{ role: 'user', content: 'a' },
				{ type: 'function_call_output', call_id: 'c', output: 'b' },
			],
		],
		['generateContent', [{ parts: [{ text: 'a' }] }]],
	] as const)(
		'as JSON for %s may hold messages that the spec does not show, or without a role',
		async (style, messages) => {
			const one = endpoint(style);
			await gateway.run(one.menu, {
				...textParameters(one, hello),
				messagesFrom: 'json',
				messagesJson: JSON.stringify(messages),
			});

			const name = { chat: 'messages', respond: 'input', generateContent: 'contents' }[style];
			expect(bodiesTo(gateway, one)).toEqual([expect.objectContaining({ [name]: messages })]);
		},
	);
});

describe('many items', () => {
	it('are sent concurrently, come out in order, and go on when one is refused', async () => {
		Object.assign(gateway.sandbox.settings, {
			chatMs: 500,
			concurrencyLimit: 10,
			retryAfter: '0.1',
		});
		const one = endpoint('chat');
		const items = Array.from({ length: 40 }, (_, row) => ({ row, temperature: row === 7 ? 3 : 1 }));
		gateway.sandbox.faults.add({
			match: { path: one.path },
			kind: { status: 402, message: 'Balance' },
		});
		const run = await gateway.run(
			one.menu,
			textParameters(one, [toMessage('=row {{ $json.row }}')], {
				options: { temperature: '={{ $json.temperature }}' },
			}),
			{
				items,
				node: { onError: 'continueRegularOutput' },
			},
		);

		// More than the ten that the gateway allows were under way at once.
		expect(gateway.sandbox.requests.map(({ status }) => status)).toContain(429);
		const output = run.items(NODE);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		expect(output.filter(({ json }) => json.error)).toHaveLength(2);
		output.forEach(({ json }, row) => json.error ?? expect(json.text).toBe(`You said: row ${row}`));
		expect(sentTo(gateway, one).filter(({ status }) => status !== 429)).toHaveLength(39);
	});
});
