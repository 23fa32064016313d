import type { Message, StreamChunk } from '@n8n/ai-node-sdk';
import {
	answer,
	completion,
	createModel,
	DRAW,
	hello,
	toolCall,
} from '../support/gatewayChatModel';
import { catchError } from '../support/gatewayClient';
import { ok } from '../support/virtualGateway';

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

const signature = { extra_content: { google: { thought_signature: 'c2ln' } } };
const thinking = { reasoning_content: 'A kite, then a boat.' };
const pieces = [
	{ delta: { role: 'assistant', content: '', reasoning_content: 'A kite, ' } },
	{ delta: { reasoning_content: 'then a boat.' } },
	{ delta: { tool_calls: [{ index: 0, ...toolCall('call_0', 'kite') }] } },
	{ delta: { tool_calls: [{ index: 0, ...signature }] } },
	{ delta: { tool_calls: [{ index: 0, extra_content: null }] } },
	{ delta: { tool_calls: [{ index: 1, ...toolCall('call_1', 'boat') }] } },
	{ delta: {}, finish_reason: 'tool_calls' },
];
const whole = {
	...{ content: null, ...thinking },
	tool_calls: [{ ...toolCall('call_0', 'kite'), ...signature }, toolCall('call_1', 'boat')],
};

const streamed = ok(
	pieces.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`).join(''),
);

it.each([
	['a whole answer', completion(whole), false],
	['a stream', streamed, true],
])('gives back what a model has said beside its calls, in %s', async (_name, first, isStream) => {
	const { model, clock, requests } = createModel('kmi-k2.5', [first, answer]);
	const withTools = model.withTools([DRAW]);
	const complete = async (messages: Message[]): Promise<Message['content']> => {
		if (!isStream) return (await withTools.generate(messages)).message.content;
		const chunks: StreamChunk[] = [];
		for await (const chunk of withTools.stream(messages)) chunks.push(chunk);
		return chunks.flatMap((chunk) => {
			if (chunk.type !== 'tool-call-delta') return [];
			const { id: toolCallId, name: toolName, argumentsDelta: input } = chunk;
			return [{ type: 'tool-call', toolCallId, toolName, input }];
		});
	};
	const content = await clock.run(complete(hello));
	const ids = content.flatMap(({ toolCallId = '' }) => toolCallId);
	const results = ids.map((toolCallId): Message => ({
		role: 'tool',
		content: [{ type: 'tool-result', toolCallId, result: 'done' }],
	}));
	await clock.run(complete([...hello, { role: 'assistant', content }, ...results]));

	// Another conversation may have the IDs of the gateway, so n8n gets others.
	expect(ids.filter((id) => id.startsWith('call_'))).toEqual([]);
	expect((requests[1]!.body!.messages as object[]).slice(1)).toEqual([
		{
			...{ role: 'assistant', content: '', ...thinking },
			tool_calls: [{ ...toolCall('call_0', 'kite'), ...signature }, toolCall('call_1', 'boat')],
		},
		{ role: 'tool', tool_call_id: 'call_0', content: 'done' },
		{ role: 'tool', tool_call_id: 'call_1', content: 'done' },
	]);
});

it('gives a call an ID of its own where the model repeats one, beside its reasoning', async () => {
	const again = { ...whole, tool_calls: [toolCall('call_0', 'kite'), toolCall('call_0', 'boat')] };
	const { model, clock, requests } = createModel('kmi-k2.5', [completion(again)]);
	const withTools = model.withTools([DRAW]);
	const messages = [...hello];
	for (let turn = 0; turn < 3; turn += 1) {
		const { message } = await clock.run(withTools.generate(messages));
		messages.push(message);
		for (const { toolCallId } of message.content)
			messages.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, result: '' }] });
	}
	const sent = requests[2]!.body!.messages as { tool_call_id?: string; tool_calls?: object[] }[];
	const results = sent.flatMap(({ tool_call_id: id = [] }) => id);
	const calls = sent.flatMap(({ tool_calls: made = [] }) => made as { id: string }[]);

	expect(new Set(results).size).toBe(4);
	expect(calls.map(({ id }) => id)).toEqual(results);
	expect(results.filter((id) => id === 'call_0')).toHaveLength(1);
});

it('sends the ID of the gateway also where what belongs to the call is forgotten', async () => {
	const { model, clock, requests } = createModel('kmi-k2.5', [completion(whole)]);
	const withTools = model.withTools([DRAW]);
	const { message } = await clock.run(withTools.generate(hello));
	for (let other = 0; other < 200; other += 1) await clock.run(withTools.generate(hello));
	await clock.run(withTools.generate([...hello, message]));

	expect((requests.at(-1)!.body!.messages as object[])[1]).toEqual({
		...{ role: 'assistant', content: '' },
		tool_calls: [toolCall('call_0', 'kite'), toolCall('call_1', 'boat')],
	});
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
	const { model, clock } = createModel('gp-5', [completion({ content: null, tool_calls: calls })]);
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
	const { model, clock } = createModel('gp-5', [completion({ content: null, tool_calls }, reason)]);
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

it.each(['gp-5', 'gp-5-codex'])(
	'is given its tools once where an agent binds them twice, and told that it must call one: %s',
	async (name) => {
		const { model, clock, requests } = createModel(name, [answer]);
		const bound = model.withTools([DRAW]).withTools([DRAW]);
		for (const each of [bound, model])
			await clock.run(each.generate(hello, { tool_choice: 'any' }).catch(() => undefined));

		const [withTools, without] = requests.map(({ body }) => body!);
		expect(withTools).toMatchObject({ tools: [expect.anything()], tool_choice: 'required' });
		expect(without).not.toHaveProperty('tool_choice');
	},
);
