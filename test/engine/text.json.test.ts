import { bodiesTo, endpoint, toMessage, textParameters } from '../support/conversation';
import { NODE, useGateway } from '../support/gateway';
import { json, useStubGateway } from '../support/stubGateway';

const gateway = useGateway();
const stub = useStubGateway();
const chat = endpoint('chat');
const message = endpoint('message');
const hello = [toMessage('Hello there')];

describe('an answer in JSON', () => {
	const schema = {
		type: 'object',
		properties: { title: { type: 'string' }, pages: { type: 'integer' } },
	};
	const asJson = (options = {}) => ({ outputFormat: 'json', options });

	it.each([
		['chat', 'response_format'],
		['respond', 'text'],
	] as const)('is requested of %s by a parameter, and parsed', async (style, field) => {
		const one = endpoint(style);
		const free = await gateway.run(one.menu, textParameters(one, hello, asJson()));
		const shaped = await gateway.run(
			one.menu,
			textParameters(one, hello, asJson({ jsonSchema: JSON.stringify(schema) })),
		);

		expect(free.json(NODE)[0]).toMatchObject({
			data: { reply: 'Hello there', model: 'gp-4.1' },
			text: expect.stringContaining('{"reply"'),
		});
		expect(shaped.json(NODE)[0]).toMatchObject({ data: { title: 'Hello there', pages: 1 } });
		const formats = bodiesTo(gateway, one).map((body) => (body as Record<string, unknown>)[field]);
		expect(formats).toEqual(
			style === 'chat'
				? [
						{ type: 'json_object' },
						{ type: 'json_schema', json_schema: { name: 'answer', schema } },
					]
				: [
						{ format: { type: 'json_object' } },
						{ format: { type: 'json_schema', name: 'answer', schema } },
					],
		);
	});

	it.each(['message', 'generateContent'] as const)(
		'is asked of %s in words, and found in its sentence',
		async (style) => {
			const one = endpoint(style);
			const run = await gateway.run(
				one.menu,
				textParameters(one, [toMessage('{ "a": [1] }')], asJson({ jsonSchema: schema })),
			);

			const words = `Answer with JSON only, without any other text. It must match this JSON schema: ${JSON.stringify(schema)}`;
			expect(bodiesTo(gateway, one)).toEqual([
				expect.objectContaining(
					style === 'message'
						? { system: words }
						: { contents: [{ role: 'user', parts: [{ text: '{ "a": [1] }' }, { text: words }] }] },
				),
			]);
			if (style === 'message') expect(run.json(NODE)[0]).toMatchObject({ data: { a: [1] } });
		},
	);

	it.each([
		['a code block', 'Here:\n```json\n{"a": 1}\n```\nDone {or not}.', { a: 1 }],
		['a list', '[1, 2]', [1, 2]],
		['a sentence', 'It is {"a": {"b": 2}}, I think.', { a: { b: 2 } }],
		['a bare value', ' 42 ', 42],
		['null', 'null', null],
	])('is read out of %s', async (_name, text, data) => {
		stub.answer = (response) => json(response, { content: [{ type: 'text', text }] });
		const run = await stub.run('text:message', textParameters(message, hello, asJson()));

		expect(run.json(NODE)[0]).toMatchObject({ text, data });
	});

	it('that is not JSON keeps its text, which is paid', async () => {
		const run = await gateway.run('text:message', textParameters(message, hello, asJson()), {
			node: { onError: 'continueRegularOutput' },
		});

		expect(run.json(NODE)).toEqual([
			{
				item_index: 0,
				error: 'The answer is not JSON',
				message:
					'Run again, or use another model. Where no JSON Schema is set, set it or describe the JSON in a message.',
				details: {
					code: 'text_not_json',
					retry: true,
					text: 'You said: Hello there',
					finish_reason: 'end_turn',
				},
			},
		]);
	});

	it('that was cut off says to raise Maximum Tokens', async () => {
		const cut = await gateway.run(
			'text:message',
			textParameters(message, [toMessage('[long]')], { max_tokens: 3, ...asJson() }),
			{ node: { onError: 'continueRegularOutput' } },
		);

		expect(cut.json(NODE)[0]).toMatchObject({
			item_index: 0,
			error: 'The answer is not JSON, because it was cut off',
			message:
				'Raise Maximum Tokens (Generate Content: Maximum Output Tokens). The text is in details.',
			details: { text: 'word1 word2 word3', finish_reason: 'max_tokens' },
		});
	});

	it('needs a schema, not an example', async () => {
		const jsonSchema = '{ "mood": "good", "topic": "delivery" }';
		const parameters = textParameters(chat, hello, asJson({ jsonSchema }));
		const run = await gateway.run('text:chat', parameters);

		expect(run.nodeError(NODE)?.message).toBe(
			'JSON Schema is an example, not a schema. Write e.g. { "type": "object", "properties": { "mood": { "type": "string" } } }',
		);
		expect(bodiesTo(gateway, chat)).toEqual([]);
	});

	it.each(['{ "required": ["mood"] }', '{ "$ref": "#/$defs/mood" }', '{}'])(
		'takes a schema without a type: %s',
		async (jsonSchema) => {
			const parameters = textParameters(chat, hello, asJson({ jsonSchema }));
			const run = await gateway.run('text:chat', parameters);

			expect(run.nodeError(NODE)?.message).toBeUndefined();
		},
	);

	it('needs a schema that is an object', async () => {
		const run = await gateway.run(
			'text:chat',
			textParameters(chat, hello, asJson({ jsonSchema: '{' })),
		);

		expect(run.nodeError(NODE)?.message).toBe('JSON Schema must be a JSON object, but is "{"');
	});
});
