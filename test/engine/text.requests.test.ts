import { file } from '../../scripts/engine';
import {
	bodiesTo,
	endpoint,
	ENDPOINTS,
	toMessage,
	sentTo,
	textParameters,
} from '../support/conversation';
import { CLIP, modelId, NODE, PHOTO, SECOND_PHOTO, useGateway } from '../support/gateway';

const gateway = useGateway();
const chat = endpoint('chat');
const respond = endpoint('respond');
const message = endpoint('message');
const generateContent = endpoint('generateContent');
const pixel = Buffer.from('a tiny picture');
const picture = { json: {}, binary: { data: file(pixel, 'pixel.png', 'image/png') } };
const base64 = pixel.toString('base64');

describe('the key', () => {
	it.each(ENDPOINTS)('of $style is sent in $key alone', async (one) => {
		await gateway.run(one.menu, textParameters(one, [toMessage('Hello')]));

		const { headers, status } = sentTo(gateway, one)[0]!;
		const key = one.key === 'authorization' ? 'Bearer sandbox-key' : 'sandbox-key';
		const carried = Object.fromEntries(
			['authorization', 'x-api-key', 'x-g-api-key'].flatMap((name) =>
				headers[name] ? [[name, headers[name]]] : [],
			),
		);
		expect(carried).toEqual({ [one.key]: key });
		expect(headers['ax-version']).toBe(one.style === 'message' ? '2023-06-01' : undefined);
		expect(status).toBe(200);
	});
});

describe('a conversation', () => {
	const conversation = [
		toMessage('Hello'),
		toMessage('Hi. What now?', 'assistant'),
		toMessage('Count to 3'),
	];

	it('goes to chat with its system instructions first', async () => {
		await gateway.run('text:chat', textParameters(chat, conversation, { system: ' Be brief. ' }));

		expect(bodiesTo(gateway, chat)).toEqual([
			{
				model: 'gp-4.1',
				messages: [
					{ role: 'system', content: 'Be brief.' },
					{ role: 'user', content: 'Hello' },
					{ role: 'assistant', content: 'Hi. What now?' },
					{ role: 'user', content: 'Count to 3' },
				],
			},
		]);
	});

	it('goes to respond as typed content', async () => {
		await gateway.run(
			'text:respond',
			textParameters(respond, [toMessage('Hello'), toMessage('Go on', 'system')], {
				system: 'Be brief.',
			}),
		);

		expect(bodiesTo(gateway, respond)).toEqual([
			{
				model: 'gp-4.1',
				input: ['Be brief.', 'Hello', 'Go on'].map((text, index) => ({
					role: index === 1 ? 'user' : 'system',
					content: [{ type: 'input_text', text }],
				})),
			},
		]);
	});

	it('goes to message with the system instructions beside it, and a prefill as the last word', async () => {
		const run = await gateway.run(
			'text:message',
			textParameters(message, [toMessage('Name a colour'), toMessage('Blue is', 'assistant')], {
				system: 'Be brief.',
			}),
		);

		expect(run.status).toBe('success');
		expect(bodiesTo(gateway, message)).toEqual([
			{
				model: 'cld-haiku-4.5',
				max_tokens: 1024,
				system: 'Be brief.',
				messages: [
					{ role: 'user', content: 'Name a colour' },
					{ role: 'assistant', content: 'Blue is' },
				],
			},
		]);
	});

	it('goes to generateContent as parts, with the model in the path', async () => {
		await gateway.run(
			'text:generateContent',
			textParameters(
				generateContent,
				[toMessage('Hello'), toMessage('Hi', 'model'), toMessage('Count')],
				{
					system: 'Be brief',
				},
			),
		);

		expect(bodiesTo(gateway, generateContent)).toEqual([
			{
				contents: [
					{ role: 'user', parts: [{ text: 'Be brief' }, { text: 'Hello' }] },
					{ role: 'model', parts: [{ text: 'Hi' }] },
					{ role: 'user', parts: [{ text: 'Count' }] },
				],
			},
		]);
	});
});

describe('pictures and videos', () => {
	const picturePrompt = toMessage('Look', 'user', { image_url: PHOTO, binaryFields: 'data' });

	it('go to chat as links and data URIs', async () => {
		await gateway.run('text:chat', textParameters(chat, [picturePrompt]), { items: [picture] });

		expect(bodiesTo(gateway, chat)).toEqual([
			expect.objectContaining({
				messages: [
					{
						role: 'user',
						content: [
							{ type: 'text', text: 'Look' },
							{ type: 'image_url', image_url: { url: PHOTO } },
							{ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
						],
					},
				],
			}),
		]);
	});

	it('go to respond, a video among them', async () => {
		const run = await gateway.run(
			'text:respond',
			textParameters(respond, [{ ...picturePrompt, video_url: CLIP }]),
			{
				items: [picture],
			},
		);

		expect(run.status).toBe('success');
		expect(bodiesTo(gateway, respond)).toEqual([
			expect.objectContaining({
				input: [
					{
						role: 'user',
						content: [
							{ type: 'input_text', text: 'Look' },
							{ type: 'input_image', image_url: PHOTO },
							{ type: 'input_video', video_url: CLIP },
							{ type: 'input_image', image_url: `data:image/png;base64,${base64}` },
						],
					},
				],
			}),
		]);
	});

	it('go to respond by a signed link where the file is a video', async () => {
		const items = [{ json: {}, binary: { clip: file('frames', 'clip.mp4', 'video/mp4') } }];
		const run = await gateway.run(
			'text:respond',
			textParameters(respond, [toMessage('Look', 'user', { binaryFields: 'clip' })]),
			{ items },
		);

		expect(run.status).toBe('success');
		const [{ input }] = bodiesTo(gateway, respond) as [
			{ input: [{ content: [unknown, { video_url: string }] }] },
		];
		expect(input[0].content[1].video_url).toMatch(
			/^http:\/\/localhost:5678\/rest\/binary-data\/signed\?token=/,
		);
	});

	it('cost nothing where n8n can make no link to a video', async () => {
		const items = [{ json: {}, binary: { clip: file('frames', 'clip.mp4', 'video/mp4') } }];
		const run = await gateway.run(
			'text:respond',
			textParameters(respond, [toMessage('Look', 'user', { binaryFields: 'clip' })]),
			{ items, engine: { binaryMode: 'default' }, node: { onError: 'continueRegularOutput' } },
		);

		expect(run.json(NODE)).toMatchObject([
			{ error: 'The file in "clip" is kept in memory, so there is no link to it' },
		]);
		expect(run.json(NODE)[0]?.details).toEqual({
			code: 'file_unavailable',
			retry: false,
			billed: 0,
		});
		expect(bodiesTo(gateway, respond)).toEqual([]);
	});

	it('go to message before the text, by their source', async () => {
		await gateway.run('text:message', textParameters(message, [picturePrompt]), {
			items: [picture],
		});

		expect(bodiesTo(gateway, message)).toEqual([
			expect.objectContaining({
				messages: [
					{
						role: 'user',
						content: [
							{ type: 'image', source: { type: 'url', url: PHOTO } },
							{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
							{ type: 'text', text: 'Look' },
						],
					},
				],
			}),
		]);
	});

	it('go to generateContent inline', async () => {
		await gateway.run(
			'text:generateContent',
			textParameters(generateContent, [toMessage('Look', 'user', { binaryFields: 'data' })]),
			{ items: [picture] },
		);

		expect(bodiesTo(gateway, generateContent)).toEqual([
			{
				contents: [
					{
						role: 'user',
						parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: base64 } }],
					},
				],
			},
		]);
	});

	it('may be several, from one expression and several fields', async () => {
		const items = [
			{
				json: { links: [PHOTO, SECOND_PHOTO] },
				binary: { a: file('one', 'a.png', 'image/png'), b: file('two', 'b.jpg', 'image/jpeg') },
			},
		];
		await gateway.run(
			'text:chat',
			textParameters(chat, [
				toMessage('', 'user', { image_url: '={{ $json.links }}', binaryFields: 'a, b' }),
			]),
			{ items },
		);

		const [{ messages }] = bodiesTo(gateway, chat) as [
			{ messages: [{ content: { image_url: { url: string } }[] }] },
		];
		expect(messages[0].content.map(({ image_url: { url } }) => url.slice(0, 30))).toEqual(
			[PHOTO, SECOND_PHOTO, 'data:image/png;base64,b25l', 'data:image/jpeg;base64,dHdv'].map(
				(url) => url.slice(0, 30),
			),
		);
	});

	it('are read from the item itself where n8n keeps files in memory', async () => {
		await gateway.run('text:chat', textParameters(chat, [picturePrompt]), {
			items: [picture],
			engine: { binaryMode: 'default' },
		});

		expect(JSON.stringify(bodiesTo(gateway, chat))).toContain(`data:image/png;base64,${base64}`);
	});
});

describe('messages as JSON', () => {
	const given = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }], name: 'Ada' }];

	it.each(ENDPOINTS)('of a new node are what $style takes', async (one) => {
		const { menu, model } = one;
		const run = await gateway.run(menu, { model: modelId(model), messagesFrom: 'json' });

		expect(run.json(NODE)).toMatchObject([{ text: 'You said: Hello' }]);
	});

	it.each([
		['text', JSON.stringify(given)],
		['an expression', '={{ $json.given }}'],
	])('are sent as they are, from %s', async (_name, messagesJson) => {
		await gateway.run(
			'text:chat',
			{ model: modelId('gp-4.1'), messagesFrom: 'json', messagesJson, system: 'Be brief.' },
			{ items: [{ given }] },
		);

		expect(bodiesTo(gateway, chat)).toEqual([
			{ model: 'gp-4.1', messages: [{ role: 'system', content: 'Be brief.' }, ...given] },
		]);
	});
});

describe('what the panel has no field for', () => {
	it('is sent with the body, and fields win over it', async () => {
		const options = {
			temperature: 0.2,
			extra_body: '{ "user": "row-17", "temperature": 2, "model": "other" }',
		};
		await gateway.run('text:chat', textParameters(chat, [toMessage('Hello')], { options }));

		expect(bodiesTo(gateway, chat)).toEqual([
			{
				user: 'row-17',
				temperature: 0.2,
				model: 'gp-4.1',
				messages: [{ role: 'user', content: 'Hello' }],
			},
		]);
	});

	it('must be an object', async () => {
		const run = await gateway.run(
			'text:chat',
			textParameters(chat, [toMessage('Hello')], { options: { extra_body: '[1]' } }),
		);

		expect(run.nodeError('Gateway')?.message).toBe(
			'Extra Body must be a JSON object, but is "[1]"',
		);
		expect(gateway.sandbox.requests).toEqual([]);
	});
});
