import type { Body } from '../../../sandbox';
import { clientOf, readError, useSandbox } from '../../support/useSandbox';
import { eventData, eventNames } from '../../support/events';

const user = { role: 'user', content: 'hello there' };

describe('messages', () => {
	const fixture = useSandbox();
	const send = (body: Body) =>
		clientOf(fixture.sandbox.url, { 'x-api-key': 'sandbox-key', 'ax-version': '2023-06-01' }).post(
			'/v1/messages',
			{
				model: 'cld-sonnet-4.6',
				max_tokens: 100,
				messages: [user],
				...body,
			},
		);

	it('have the shape of the spec', async () => {
		expect((await send({ system: 'be kind' })).data).toEqual({
			id: expect.any(String),
			type: 'message',
			role: 'assistant',
			content: [{ type: 'text', text: 'You said: hello there' }],
			model: 'cld-sonnet-4.6',
			stop_reason: 'end_turn',
			stop_sequence: null,
			usage: { input_tokens: 4, output_tokens: 4 },
		});
	});

	it('take blocks, a system of blocks, a prefill and all parameters at their edge', async () => {
		const messages = [
			{ role: 'user', content: [{ type: 'text', text: 'hi' }] },
			{ role: 'assistant', content: 'Well,' },
		];
		const system = [{ type: 'text', text: 'be kind' }];
		const rest = {
			temperature: 1,
			top_p: 1,
			top_k: 40,
			stop_sequences: ['a b', 'c', 'd', 'e'],
			metadata: { user_id: '1' },
		};
		expect((await send({ messages, system, max_tokens: 1, ...rest })).status).toBe(200);
	});

	it.each([
		['max_tokens', undefined],
		['max_tokens', 0],
		['max_tokens', '9'],
		['temperature', 1.1],
		['top_p', -0.1],
		['top_k', 'many'],
		['stop_sequences', ['1', '2', '3', '4', '5']],
		['stop_sequences', ['word '.repeat(33)]],
		['system', 7],
		['system', [{ type: 'image' }]],
		['metadata', 'x'],
		['model', 'gp-5'],
		['messages', []],
		['messages', [user, user]],
		['messages', [{ role: 'system', content: 'be kind' }]],
		['messages', [{ role: 'user', content: 7 }]],
	])('refuse %s of %j', async (param, value) => {
		expect(readError(await send({ [param]: value }))).toMatchObject({ status: 400, param });
	});

	it('say why they stopped', async () => {
		expect((await send({ max_tokens: 2 })).data).toMatchObject({
			stop_reason: 'max_tokens',
			content: [{ text: 'You said:' }],
		});
		expect((await send({ stop_sequences: [' there'] })).data).toMatchObject({
			stop_reason: 'stop_sequence',
			stop_sequence: ' there',
		});
	});

	it('use tools and read their results', async () => {
		const tools = [
			{
				name: 'weather',
				input_schema: { type: 'object', properties: { city: { type: 'string' } } },
			},
		];
		const request = { role: 'user', content: 'use tool weather {"city":"Oslo"}' };
		const { data } = await send({ tools, messages: [request] });
		expect(data).toMatchObject({
			stop_reason: 'tool_use',
			content: [{ type: 'tool_use', name: 'weather', input: { city: 'Oslo' } }],
		});
		const result = {
			role: 'user',
			content: [{ type: 'tool_result', tool_use_id: data.content[0].id, content: 'rain' }],
		};
		const { data: final } = await send({
			tools,
			messages: [request, { role: 'assistant', content: data.content }, result],
		});
		expect(final.content[0].text).toBe('The tool returned: rain');
	});

	it('stream named events', async () => {
		const { data } = await send({ stream: true });
		const names = [...new Set(eventNames(data as string))];
		expect(names).toEqual([
			'message_start',
			'content_block_start',
			'content_block_delta',
			'content_block_stop',
			'message_delta',
			'message_stop',
		]);
		const text = eventData(data as string)
			.map((line) => JSON.parse(line).delta?.text ?? '')
			.join('');
		expect(text).toBe('You said: hello there');
	});
});
