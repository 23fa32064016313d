import type { Body } from '../../../sandbox';
import { readError, useSandbox } from '../../support/useSandbox';
import { eventData } from '../../support/events';

const user = (content: unknown): Body => ({ role: 'user', content });
const weatherTool = {
	type: 'function',
	function: {
		name: 'weather',
		parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
	},
};

describe('chat completions', () => {
	const fixture = useSandbox();
	const chat = (body: Body) =>
		fixture.http.post('/v1/chat/completions', {
			model: 'gp-5',
			messages: [user('hello there')],
			...body,
		});

	it('echo the last words of the user, in the shape of the spec', async () => {
		const { data } = await chat({
			messages: [{ role: 'system', content: 'be kind' }, user('hello there')],
		});
		expect(data).toEqual({
			id: expect.any(String),
			object: 'chat.completion',
			created: expect.any(Number),
			model: 'gp-5',
			system_fingerprint: expect.any(String),
			choices: [
				{
					index: 0,
					message: { role: 'assistant', content: 'You said: hello there' },
					logprobs: null,
					finish_reason: 'stop',
				},
			],
			usage: {
				prompt_tokens: 4,
				completion_tokens: 4,
				total_tokens: 8,
				prompt_tokens_details: {
					cached_tokens: 0,
					text_tokens: 4,
					audio_tokens: 0,
					image_tokens: 0,
				},
				completion_tokens_details: { text_tokens: 4, audio_tokens: 0, reasoning_tokens: 0 },
			},
		});
	});

	it('read multimodal parts', async () => {
		const parts = [
			{ type: 'text', text: 'a picture' },
			{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
		];
		expect((await chat({ messages: [user(parts)] })).data.choices[0].message.content).toBe(
			'You said: a picture',
		);
	});

	it('take every listed model, and those added later', async () => {
		for (const model of ['o1', 'cld-haiku-4.5', 'gmn-2.5-pro', 'zg-5.1', 'kmi-k2-thinking']) {
			expect((await chat({ model })).status).toBe(200);
		}
		for (const model of ['gp-5-pro', 'gp-5.1-codex', 'gp-6', 'imgn-4.0', undefined]) {
			expect(readError(await chat({ model }))).toMatchObject({ status: 400, param: 'model' });
		}
		fixture.sandbox.settings.extraTextModels = ['gp-6'];
		expect((await chat({ model: 'gp-6' })).status).toBe(200);
	});

	it('take parameters at the edge of their ranges', async () => {
		const { status } = await chat({
			temperature: 2,
			top_p: 0,
			frequency_penalty: -2,
			presence_penalty: 2,
			stop: ['a', 'b', 'c', 'd'],
			max_tokens: 50,
		});
		expect(status).toBe(200);
	});

	it.each([
		['temperature', 2.1],
		['temperature', '1'],
		['top_p', 1.1],
		['frequency_penalty', -2.1],
		['presence_penalty', 3],
		['stop', ['a', 'b', 'c', 'd', 'e']],
		['max_tokens', 'many'],
		['n', 0],
		['stream', 'yes'],
		['messages', []],
		['messages', [{ role: 'developer', content: 'x' }]],
		['messages', [{ role: 'user' }]],
		['messages', 'hello'],
	])('refuse %s of %j', async (param, value) => {
		expect(readError(await chat({ [param]: value }))).toMatchObject({
			status: 400,
			type: 'invalid_request_error',
			param,
		});
	});

	it('stop at a sequence, at a length, and answer n times', async () => {
		expect((await chat({ stop: ' there' })).data.choices[0]).toMatchObject({
			message: { content: 'You said: hello' },
			finish_reason: 'stop',
		});
		expect((await chat({ max_tokens: 2 })).data.choices[0]).toMatchObject({
			message: { content: 'You said:' },
			finish_reason: 'length',
		});
		expect((await chat({ n: 3 })).data.choices).toHaveLength(3);
	});

	it('answer in JSON on request', async () => {
		const content = async (response_format: Body): Promise<unknown> =>
			JSON.parse((await chat({ response_format })).data.choices[0].message.content as string);
		expect(await content({ type: 'json_object' })).toEqual({ reply: 'hello there', model: 'gp-5' });
		const schema = {
			type: 'object',
			properties: {
				title: { type: 'string' },
				tags: { type: 'array', items: { type: 'string' } },
				size: { enum: ['s', 'm'] },
				count: { type: 'integer', minimum: 3 },
			},
		};
		expect(await content({ type: 'json_schema', json_schema: { name: 'x', schema } })).toEqual({
			title: 'hello there',
			tags: ['hello there'],
			size: 's',
			count: 3,
		});
	});

	it('say how a tool is called, where the words do not name one', async () => {
		const answerTo = async (text: string) =>
			(await chat({ messages: [user(text)], tools: [weatherTool] })).data.choices[0].message;

		expect((await answerTo('How is the weather?')).content).toContain('write: use tool weather');
		expect((await answerTo('Use the tool weather')).tool_calls).toHaveLength(1);
	});

	it('call the tool that the user names, then report what it returned', async () => {
		const messages: Body[] = [user('please use tool weather with {"city": "Oslo"}')];
		const { data } = await chat({ messages, tools: [weatherTool] });
		const [choice] = data.choices;
		expect(choice).toMatchObject({ finish_reason: 'function_call', message: { content: null } });
		const [toolCall] = choice.message.tool_calls;
		expect(toolCall).toMatchObject({
			type: 'function',
			function: { name: 'weather', arguments: '{"city":"Oslo"}' },
		});
		messages.push(choice.message, { role: 'tool', tool_call_id: toolCall.id, content: 'rain' });
		expect((await chat({ messages, tools: [weatherTool] })).data.choices[0].message.content).toBe(
			'The tool returned: rain',
		);
	});

	it('fill arguments from the schema when the user gives none', async () => {
		fixture.sandbox.settings.toolFinishReason = 'tool_calls';
		const { data } = await chat({ messages: [user('use tool weather')], tools: [weatherTool] });
		expect(data.choices[0].finish_reason).toBe('tool_calls');
		expect(JSON.parse(data.choices[0].message.tool_calls[0].function.arguments)).toEqual({
			city: 'use tool weather',
		});
	});

	it('stream chunks that add up to the same text', async () => {
		const { data, headers } = await chat({ stream: true, stream_options: { include_usage: true } });
		expect(headers['content-type']).toContain('text/event-stream');
		const chunks = eventData(data as string);
		expect(chunks.at(-1)).toBe('[DONE]');
		const parts = chunks.slice(0, -1).map((chunk) => JSON.parse(chunk));
		expect(parts.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
			'You said: hello there',
		);
		expect(parts.at(-2).choices[0].finish_reason).toBe('stop');
		expect(parts.at(-1)).toMatchObject({
			object: 'chat.completion.chunk',
			choices: [],
			usage: { total_tokens: 6 },
		});
	});

	it('stream tool calls, and long answers', async () => {
		const called = await chat({
			stream: true,
			messages: [user('use tool weather')],
			tools: [weatherTool],
		});
		expect(called.data).toContain('"tool_calls":[{"index":0');
		const long = await chat({ stream: true, messages: [user('[long]')] });
		expect(eventData(long.data as string).length).toBeGreaterThan(200);
		const longer = await chat({ stream: true, messages: [user('[long 900]')] });
		expect(longer.data).toContain('word900');
		expect(longer.data).not.toContain('word901');
	});

	it('can be cut off in the middle', async () => {
		fixture.sandbox.faults.add({ kind: 'broken-json' });
		expect((await chat({ stream: true })).data).not.toContain('[DONE]');
	});

	it('cost, so they stop when the quota is exhausted', async () => {
		fixture.sandbox.settings.quotaExhausted = true;
		expect(readError(await chat({}))).toMatchObject({ status: 402, type: 'payment_required' });
	});

	it('take as long as configured', async () => {
		fixture.sandbox.settings.chatMs = 150;
		const started = Date.now();
		await chat({});
		expect(Date.now() - started).toBeGreaterThanOrEqual(145);
	});
});
