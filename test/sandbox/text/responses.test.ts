import type { Body } from '../../../sandbox';
import { readError, useSandbox } from '../../support/useSandbox';
import { eventData, eventNames } from '../../support/events';

const toMessage = (...content: Body[]): Body[] => [{ role: 'user', content }];
const words = { type: 'input_text', text: 'hello there' };

describe('responses', () => {
	const fixture = useSandbox();
	const respond = (body: Body) =>
		fixture.http.post('/v1/responses', { model: 'gp-4.1', input: 'hello there', ...body });

	it('have the shape of the spec', async () => {
		const { data } = await respond({ temperature: 0.5, metadata: { row: '7' } });
		expect(data).toMatchObject({
			object: 'response',
			status: 'completed',
			model: 'gp-4.1',
			output: [
				{
					type: 'message',
					role: 'assistant',
					status: 'completed',
					content: [
						{ type: 'output_text', text: 'You said: hello there', annotations: [], logprobs: [] },
					],
				},
			],
			usage: { input_tokens: 2, output_tokens: 4, total_tokens: 6 },
			temperature: 0.5,
			metadata: { row: '7' },
			error: null,
		});
		const echoed = [
			'top_p',
			'tool_choice',
			'tools',
			'parallel_tool_calls',
			'store',
			'service_tier',
			'truncation',
			'text',
			'background',
			'reasoning',
		];
		expect(Object.keys(data)).toEqual(expect.arrayContaining(echoed));
	});

	it('put the reasoning of thinking models before the message', async () => {
		const { data } = await respond({ model: 'gp-5.1-codex' });
		expect(data.output.map(({ type }: { type: string }) => type)).toEqual(['reasoning', 'message']);
	});

	it('take all chat models and their own', async () => {
		for (const model of ['gp-5-pro', 'gp-5.3-codex', 'cld-opus-4.6', 'dsk-v3.2'])
			expect((await respond({ model })).status).toBe(200);
		expect(readError(await respond({ model: 'asr-1' }))).toMatchObject({
			status: 400,
			param: 'model',
		});
	});

	it('take text, images and videos', async () => {
		const image = { type: 'input_image', image_url: 'https://example.com/a.png' };
		const inline = { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(400)}` };
		const video = { type: 'input_video', video_url: 'https://example.com/a.mp4' };
		const { data } = await respond({ input: toMessage(words, image, inline, video) });
		expect(data.output[0].content[0].text).toBe('You said: hello there');
	});

	it.each([
		['nothing', undefined],
		['an empty string', ''],
		['an empty list', []],
		['an unknown role', [{ role: 'tool', content: [words] }]],
		['content that is no list', [{ role: 'user', content: 'hello' }]],
		['an unknown item', toMessage({ type: 'text', text: 'hello' })],
		[
			'an image of another type',
			toMessage({ type: 'input_image', image_url: 'data:image/tiff;base64,AAAA' }),
		],
		['an image that is no link', toMessage({ type: 'input_image', image_url: 'hello' })],
		[
			'an image beyond 20 MB',
			toMessage({
				type: 'input_image',
				image_url: `data:image/png;base64,${'A'.repeat(28_100_000)}`,
			}),
		],
		[
			'a video as data',
			toMessage({ type: 'input_video', video_url: 'data:video/mp4;base64,AAAA' }),
		],
	])('refuse %s as input', async (_name, input) => {
		expect(readError(await respond({ input }))).toMatchObject({ status: 400, param: 'input' });
	});

	it('refuse other parameters out of range', async () => {
		expect(readError(await respond({ temperature: 3 }))).toMatchObject({
			status: 400,
			param: 'temperature',
		});
		expect(readError(await respond({ max_tokens: '9' }))).toMatchObject({
			status: 400,
			param: 'max_tokens',
		});
		expect(readError(await respond({ tools: [{ type: 'computer' }] }))).toMatchObject({
			status: 400,
			param: 'tools',
		});
	});

	it('take every type of tool and call functions', async () => {
		const tools = [
			{ type: 'web_search' },
			{ type: 'file_search' },
			{ type: 'remote_mcp', server_url: 'https://example.com' },
			{
				type: 'function',
				function: {
					name: 'weather',
					parameters: { type: 'object', properties: { city: { type: 'string' } } },
				},
			},
		];
		const { data } = await respond({ tools, input: 'use tool weather {"city":"Oslo"}' });
		expect(data.output).toMatchObject([
			{ type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' },
		]);
		const input = [
			...toMessage(words),
			data.output[0],
			{ type: 'function_call_output', call_id: data.output[0].call_id, output: 'rain' },
		];
		expect((await respond({ tools, input })).data.output[0].content[0].text).toBe(
			'The tool returned: rain',
		);
	});

	it('answer in JSON of a schema', async () => {
		const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
		const { data } = await respond({
			text: { format: { type: 'json_schema', name: 'x', schema } },
		});
		expect(JSON.parse(data.output[0].content[0].text)).toEqual({ ok: true });
	});

	it('stream named events that end with the whole response', async () => {
		const { data } = await respond({ stream: true });
		const names = eventNames(data as string);
		expect(names[0]).toBe('response.created');
		expect(names.at(-1)).toBe('response.completed');
		const events = eventData(data as string).map((line) => JSON.parse(line));
		const text = events
			.filter(({ type }) => type === 'response.output_text.delta')
			.map(({ delta }) => delta)
			.join('');
		expect(text).toBe('You said: hello there');
		expect(events.at(-1).response).toMatchObject({
			status: 'completed',
			output: [{ type: 'message' }],
		});
	});
});
