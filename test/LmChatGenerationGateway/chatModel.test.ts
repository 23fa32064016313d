import type { Message, StreamChunk, Tool } from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import { GatewayChatModel } from '../../nodes/LmChatGenerationGateway/chatModel';
import { readChatOptions } from '../../nodes/LmChatGenerationGateway/options';
import { ItemReader } from '../../nodes/n8n/itemReader';
import { catchError } from '../support/gatewayClient';
import {
	createBody,
	createVirtualGateway,
	ok,
	refusal,
	type VirtualResponse,
} from '../support/virtualGateway';

type Answer =
	VirtualResponse | ((clock: ReturnType<typeof createVirtualGateway>['clock']) => VirtualResponse);

const DRAW: Tool = {
	type: 'function',
	name: 'draw',
	description: 'Draws a picture',
	inputSchema: { type: 'object', properties: { prompt: { type: 'string' } } },
};
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const hello = [user('hello')];

/** A model whose requests get these answers, the last one again and again. */
function createModel(name: string, answers: Answer[], options: Record<string, unknown> = {}) {
	const item = new ItemReader<never>(undefined as never, 0, { options: options as IDataObject });
	const { retry, ...chatOptions } = readChatOptions(item, name);
	const gateway = createVirtualGateway(
		(_request, index) => {
			const answer = answers[Math.min(index, answers.length - 1)]!;
			return typeof answer === 'function' ? answer(gateway.clock) : answer;
		},
		{ retry },
	);
	const model = new GatewayChatModel({
		client: gateway.client,
		model: name,
		...chatOptions,
		toJsonSchema: ({ inputSchema }) => inputSchema as Record<string, unknown>,
		toError: (error) => error as Error,
	});
	return { ...gateway, model };
}

const completion = (message: object, finish_reason = 'stop') =>
	ok({
		id: 'c1',
		model: 'gp-5',
		choices: [{ message, finish_reason }],
		usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
	});
const answer = completion({ role: 'assistant', content: 'Hi' });
const toolCall = (id: string | undefined, prompt: string) => ({
	id,
	type: 'function',
	function: { name: 'draw', arguments: JSON.stringify({ prompt }) },
});

describe('a chat model under an agent', () => {
	it('is asked with the words, roles and options of chat completions', async () => {
		const options = { temperature: '0.5', max_tokens: 50, timeout: 5 };
		const { model, clock, requests } = createModel('o1', [answer], options);
		const messages: Message[] = [
			{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
			...hello,
		];

		expect(await clock.run(model.generate(messages, { stop: ['END'] }))).toEqual({
			id: 'c1',
			finishReason: 'stop',
			usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7 },
			message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
		});
		expect(requests).toMatchObject([
			{
				path: '/v1/chat/completions',
				timeoutMs: 5_000,
				body: {
					model: 'o1',
					messages: [
						{ role: 'system', content: 'Be brief.' },
						{ role: 'user', content: 'hello' },
					],
					temperature: 0.5,
					max_tokens: 50,
					stop: ['END'],
				},
			},
		]);
	});

	it('calls tools and gets their results, at chat completions', async () => {
		const { model, clock, requests } = createModel('gp-5', [
			completion({
				content: null,
				tool_calls: [toolCall('a', 'kite'), toolCall(undefined, 'boat')],
			}),
			answer,
		]);
		const withTools = model.withTools([DRAW, { type: 'provider', name: 'web_search' }]);
		const first = await clock.run(withTools.generate(hello));
		const given = first.message.content[1]!.toolCallId!;

		expect(first).toMatchObject({
			finishReason: 'tool-calls',
			message: {
				content: [
					{ type: 'tool-call', toolCallId: 'a', toolName: 'draw', input: '{"prompt":"kite"}' },
					{ type: 'tool-call', toolCallId: given, input: '{"prompt":"boat"}' },
				],
			},
		});
		const results = ['a', given].map((toolCallId): Message => ({
			role: 'tool',
			content: [{ type: 'tool-result', toolCallId, result: [{ type: 'text', text: 'done' }] }],
		}));
		await clock.run(withTools.generate([...hello, first.message, ...results]));

		expect(requests[0]!.body!.tools).toEqual([
			{
				type: 'function',
				function: { name: 'draw', description: 'Draws a picture', parameters: DRAW.inputSchema },
			},
		]);
		expect((requests[1]!.body!.messages as object[]).slice(1)).toEqual([
			{
				role: 'assistant',
				content: '',
				tool_calls: [toolCall('a', 'kite'), toolCall(given, 'boat')],
			},
			{ role: 'tool', tool_call_id: 'a', content: 'done' },
			{ role: 'tool', tool_call_id: given, content: 'done' },
		]);
	});

	it.each([
		['none', { function_call: toolCall(undefined, 'kite').function }],
		['an empty one', { tool_calls: [toolCall('', 'kite')] }],
	])('gives each call its own ID where the gateway states %s', async (_name, message) => {
		const { model, clock } = createModel('gp-5', [completion({ content: null, ...message })]);
		const first = await clock.run(model.generate(hello));
		const second = await clock.run(model.generate(hello));

		const ids = [first, second].map(({ message: { content } }) => content[0]!.toolCallId);
		expect(new Set(ids.filter(Boolean)).size).toBe(2);
	});

	it('gives each call an ID that the conversation has not had, whatever the gateway repeats', async () => {
		const calls = [toolCall('call_0', 'kite'), toolCall('call_0', 'boat')];
		const { model, clock } = createModel('gp-5', [
			completion({ content: null, tool_calls: calls }),
		]);
		const idsOf = ({ content }: Message) => content.map(({ toolCallId }) => toolCallId!);
		const { message } = await clock.run(model.generate(hello));
		const results = idsOf(message).map((toolCallId): Message => ({
			role: 'tool',
			content: [{ type: 'tool-result', toolCallId, result: 'done' }],
		}));
		const next = await clock.run(model.generate([...hello, message, ...results]));
		const chunks: StreamChunk[] = [];
		const reading = async () => {
			for await (const chunk of model.stream([...hello, message, ...results])) chunks.push(chunk);
		};
		await clock.run(reading());
		const streamed = chunks.flatMap((chunk) => ('id' in chunk ? [chunk.id] : []));

		expect(idsOf(message)[0]).toBe('call_0');
		expect(streamed).toHaveLength(2);
		for (const ids of [idsOf(next.message), streamed])
			expect(new Set([...idsOf(message), ...ids]).size).toBe(4);
	});

	const draw = (more: string) => ({ function: { name: 'draw', arguments: more } });
	const part = '{"prompt":"a kite, but on no acc';
	it.each([
		['length', [draw(part)]],
		['content_filter', [draw('{}'), draw(part)]],
		['', [draw(part)]],
		['length', [draw('{}'), draw('')]],
	])(
		'does not hand on a tool call that was cut off (%s), which n8n would complete',
		async (reason, tool_calls) => {
			const cut = completion({ content: 'Wait', tool_calls }, reason);
			const { model, clock } = createModel('gp-5', [cut]);
			const error = await clock.run(catchError(model.generate(hello)));

			expect(error).toMatchObject({ code: 'text_interrupted', details: { text: 'Wait' } });
			expect(error.hint).toBe('Run again, or raise Maximum Tokens.');
		},
	);

	it.each([
		['length', [draw(''), draw('{}')]],
		['tool_calls', [draw(' ')]],
		['tool_calls', [draw('"{\\"prompt\\":\\"a kite\\"}"')]],
	])('hands on a tool call that is whole (%s)', async (reason, tool_calls) => {
		const { model, clock } = createModel('gp-5', [
			completion({ content: null, tool_calls }, reason),
		]);
		const { message } = await clock.run(model.generate(hello));

		expect(message.content).toHaveLength(tool_calls.length);
	});

	it.each(['tool_calls', 'stop', 'function_call'])(
		'does not hand on a tool call that is no JSON (%s): n8n would call the tool without arguments',
		async (reason) => {
			const { model, clock } = createModel('gp-5', [
				completion({ content: null, tool_calls: [draw('{}'), draw(part)] }, reason),
			]);
			const chunks: StreamChunk[] = [];
			const reading = async () => {
				for await (const chunk of model.stream(hello)) chunks.push(chunk);
			};

			for (const work of [async () => void (await model.generate(hello)), reading])
				expect(await clock.run(catchError(work()))).toMatchObject({
					code: 'text_not_json',
					message: 'The model called draw with arguments that are not JSON',
					details: { text: part },
				});
			expect(chunks).toEqual([]);
		},
	);

	const endless = (bodies: ReturnType<typeof createBody>[]): Answer => {
		const event = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word ' } }] })}\n\n`;
		return (time) => {
			bodies.push(createBody(time, Array.from({ length: 1_000 }, () => [100, event]).flat()));
			return ok(bodies.at(-1)!.stream, { 'content-type': 'text/event-stream' });
		};
	};

	it('ends the answer when its reader stops early, so that no more is billed', async () => {
		const bodies: ReturnType<typeof createBody>[] = [];
		const { model, clock } = createModel('gp-5', [endless(bodies)]);
		const startedAt = clock.now();
		const reading = async () => {
			let count = 0;
			for await (const chunk of model.stream(hello)) if (chunk && (count += 1) === 3) return;
		};
		await clock.run(reading());

		expect(bodies[0]!.isDestroyed()).toBe(true);
		expect(clock.now() - startedAt).toBe(300);
	});

	it.each(['signal', 'abortSignal'])('ends the answer when its %s is aborted', async (name) => {
		const bodies: ReturnType<typeof createBody>[] = [];
		const { model, clock } = createModel('gp-5', [endless(bodies)]);
		const caller = new AbortController();
		clock.after(300, () => caller.abort());
		const reading = async () => {
			for await (const chunk of model.stream(hello, { [name]: caller.signal }))
				expect(chunk.type).toBe('text-delta');
		};

		expect(await clock.run(catchError(reading()))).toMatchObject({ code: 'stopped' });
		expect(bodies[0]!.isDestroyed()).toBe(true);
	});

	it('names its own option after a timeout', async () => {
		const silent: Answer = (time) => ({
			status: 200,
			headers: {},
			body: createBody(time, ['stall']).stream,
		});
		const { model, clock } = createModel('gp-5', [silent]);

		expect(await clock.run(catchError(model.generate(hello)))).toMatchObject({
			code: 'timeout',
			hint: 'Run again later, or raise Timeout (Seconds).',
		});
	});

	it('is asked at responses, in the items of the spec, where only that endpoint serves it', async () => {
		const { model, clock, requests } = createModel(
			'gp-5-codex',
			[
				ok({
					status: 'completed',
					output: [
						{ type: 'function_call', call_id: 'f1', name: 'draw', arguments: '{"prompt":"kite"}' },
					],
				}),
			],
			{ max_tokens: 50 },
		);
		const withTools = model.withTools([DRAW]);
		const { message } = await clock.run(withTools.generate(hello));
		await clock.run(
			withTools.generate([
				...hello,
				message,
				{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'f1', result: { ok: 1 } }] },
			]),
		);

		expect(requests[1]).toMatchObject({ path: '/v1/responses' });
		expect(requests[1]!.body).toEqual({
			model: 'gp-5-codex',
			max_tokens: 50,
			input: [
				{ role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
				{ type: 'function_call', call_id: 'f1', name: 'draw', arguments: '{"prompt":"kite"}' },
				{ type: 'function_call_output', call_id: 'f1', output: '{"ok":1}' },
			],
			tools: [
				{
					type: 'function',
					function: { name: 'draw', description: 'Draws a picture', parameters: DRAW.inputSchema },
				},
			],
		});
	});

	it('sees pictures, as files and as links', async () => {
		const { model, clock, requests } = createModel('gp-5', [answer]);
		const content = [
			{ type: 'text', text: 'What is it?' },
			{ type: 'file', mediaType: 'image/png', data: 'QUJD' },
			{ type: 'file', data: 'data:image/webp;base64,REVG' },
			{ type: 'file', data: new Uint8Array([65]), mediaType: 'image/gif' },
			{ type: 'file', providerMetadata: { url: 'https://example.com/a.png' } },
			{ type: 'file', data: new Uint8Array(), providerMetadata: { url: 'https://example.com/b' } },
			{ type: 'file', data: 'https://example.com/c' },
			{ type: 'file' },
		];
		await clock.run(model.generate([{ role: 'user', content }]));

		const image = (url: string) => ({ type: 'image_url', image_url: { url } });
		expect((requests[0]!.body!.messages as object[])[0]).toEqual({
			role: 'user',
			content: [
				{ type: 'text', text: 'What is it?' },
				image('data:image/png;base64,QUJD'),
				image('data:image/webp;base64,REVG'),
				image('data:image/gif;base64,QQ=='),
				image('https://example.com/a.png'),
				image('https://example.com/b'),
				image('https://example.com/c'),
			],
		});
	});

	it.each([
		['gp-5', 'messages', (url: string, more: object) => ({ image_url: { url, ...more } })],
		['gp-5-codex', 'input', (image_url: string, more: object) => ({ image_url, ...more })],
	])('looks at each as closely as the chain asks, with %s', async (name, list, toPart) => {
		const { model, clock, requests } = createModel(name, [answer]);
		const [link, file, low] = [
			'https://example.com/a.png',
			'data:image/png;base64,QUJD',
			{ detail: 'low' },
		];
		const content = [
			{ type: 'file', providerMetadata: { url: link, ...low } },
			{ type: 'file', mediaType: 'image/png', data: 'QUJD' },
			{ type: 'file', mediaType: 'image/png', data: 'QUJD', providerMetadata: low },
		];
		await clock.run(model.generate([{ role: 'user', content }]).catch(() => undefined));

		expect((requests[0]!.body![list] as object[])[0]).toEqual({
			role: 'user',
			content: [
				[link, low],
				[file, {}],
				[file, low],
			].map(([url, more]) => expect.objectContaining(toPart(url as string, more as object))),
		});
	});

	it('waits as long as the gateway asks and tries again, as often as Maximum Retries says', async () => {
		const busy = refusal(429, 'Busy', { 'retry-after': '7' });
		const patient = createModel('gp-5', [busy, busy, answer], { maxRetries: 2 });
		const startedAt = patient.clock.now();
		await patient.clock.run(patient.model.generate(hello));

		expect(patient.requests).toHaveLength(3);
		expect(patient.clock.now() - startedAt).toBeGreaterThanOrEqual(14_000);

		const hasty = createModel('gp-5', [busy, answer], { maxRetries: 0 });
		expect(await hasty.clock.run(catchError(hasty.model.generate(hello)))).toMatchObject({
			code: 'rate_limited',
		});
		expect(hasty.requests).toHaveLength(1);
	});

	it('shows no key that the gateway quotes', async () => {
		const { model, clock } = createModel('gp-5', [refusal(400, 'Bad key sk-virtual-key')]);

		expect((await clock.run(catchError(model.generate(hello)))).message).not.toContain(
			'sk-virtual-key',
		);
	});
});

describe('a chat model that streams', () => {
	const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
	const delta = (part: object, finish_reason: string | null = null) =>
		event({ choices: [{ index: 0, delta: part, finish_reason }] });
	const stream = (...steps: Parameters<typeof createBody>[1]): Answer => {
		return (clock) => ({
			status: 200,
			headers: { 'content-type': 'text/event-stream' },
			body: createBody(clock, steps).stream,
		});
	};

	async function collect(answers: Answer[], options = {}) {
		const { model, clock } = createModel('gp-5', answers, options);
		const chunks: unknown[] = [];
		const reading = (async () => {
			for await (const chunk of model.withTools([DRAW]).stream(hello)) chunks.push(chunk);
		})();
		const error = await clock.run(
			reading.then(
				() => undefined,
				(thrown: unknown) => thrown,
			),
		);
		return { chunks, error };
	}

	it('gives its words as they come, then its calls, then its end', async () => {
		const draw = { index: 0, id: 'a', function: { name: 'draw', arguments: '{"prompt":"x"}' } };
		const { chunks, error } = await collect([
			stream(
				delta({ content: 'Let me ' }),
				2_000,
				delta({ content: 'draw.' }),
				delta({ tool_calls: [draw] }),
				delta({}, 'tool_calls'),
				'data: [DONE]\n\n',
				'stall',
			),
		]);

		expect(error).toBeUndefined();
		expect(chunks).toEqual([
			{ type: 'text-delta', delta: 'Let me ' },
			{ type: 'text-delta', delta: 'draw.' },
			{ type: 'tool-call-delta', id: 'a', name: 'draw', argumentsDelta: '{"prompt":"x"}' },
			{ type: 'finish', finishReason: 'tool-calls', usage: undefined },
		]);
	});

	it('ends with what is wrong when it falls silent, after the words that came', async () => {
		const { chunks, error } = await collect([stream(delta({ content: 'Half' }), 'stall')], {
			timeout: 3,
		});

		expect(chunks).toEqual([{ type: 'text-delta', delta: 'Half' }]);
		expect(error).toMatchObject({ code: 'text_interrupted' });
	});
});
