import type { IDataObject } from 'n8n-workflow';
import {
	bodiesTo,
	endpoint,
	toMessage,
	sentTo,
	STREAMING,
	textParameters,
} from '../support/conversation';
import { executeAsTool } from '../../scripts/engine/tool';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';

const gateway = useGateway();
const chat = endpoint('chat');
const long = [toMessage('[long] and a bit more')];
const lookup = {
	type: 'function',
	function: {
		name: 'lookup',
		parameters: { type: 'object', properties: { city: { type: 'string' } } },
	},
};

/** What a client of the workflow gets, as `type` and the text. */
function listener() {
	const heard: [string, string | undefined][] = [];
	return {
		heard,
		engine: {
			mode: 'webhook' as const,
			onChunk: ({ type, content }: { type: string; content?: string }) =>
				void heard.push([type, content]),
		},
	};
}

async function bothWays(
	one: (typeof STREAMING)[number],
	messages: IDataObject[],
	options: IDataObject = {},
) {
	const complete = async (stream: boolean) =>
		(
			await gateway.run(
				one.menu,
				textParameters(one, messages, { options: { ...options, stream } }),
			)
		).json(NODE)[0];
	return { whole: await complete(false), streamed: await complete(true) };
}

/** Each answer has IDs of its own. */
const withoutIds = (answer: Record<string, unknown> | undefined) =>
	(answer?.tool_calls as IDataObject[]).map((toolCall) => ({ ...toolCall, id: undefined }));

describe('a streamed answer', () => {
	it.each(STREAMING)('of $style is, joined, what it is in one piece', async (one) => {
		const { whole, streamed } = await bothWays(one, long);

		// Chunks of chat hold no usage unless a parameter requests it that section 2.5 does not list.
		expect(streamed).toEqual(one.style === 'chat' ? { ...whole, usage: null } : whole);
		expect(bodiesTo(gateway, one).map((body) => (body as IDataObject).stream)).toEqual([
			undefined,
			true,
		]);
		expect(String(whole?.text).split(' ')).toHaveLength(200);
	});

	it.each(['chat', 'respond'] as const)('of %s calls tools', async (style) => {
		const { whole, streamed } = await bothWays(
			endpoint(style),
			[toMessage('use tool lookup {"city": "Ghent"}')],
			{ tools: JSON.stringify([lookup]) },
		);

		expect(withoutIds(streamed)).toEqual(withoutIds(whole));
		expect(streamed?.tool_calls).toEqual([
			expect.objectContaining({ name: 'lookup', arguments: { city: 'Ghent' } }),
		]);
	});

	it('keeps several alternatives apart, and the calls of each', async () => {
		const texts = await bothWays(chat, [toMessage('Hi')], { n: 3 });
		const calls = await bothWays(chat, [toMessage('use tool lookup {"city": "Ghent"}')], {
			n: 2,
			tools: JSON.stringify([lookup]),
		});

		expect(texts.streamed).toEqual({ ...texts.whole, usage: null });
		expect(withoutIds(calls.streamed)).toEqual(withoutIds(calls.whole));
		expect(calls.whole?.tool_calls).toHaveLength(2);
	});

	it('states its usage where that was requested', async () => {
		const { whole, streamed } = await bothWays(chat, [toMessage('Hi')], {
			extra_body: '{ "stream_options": { "include_usage": true } }',
		});

		expect(streamed).toEqual(whole);
	});

	it('is parsed when JSON was asked for', async () => {
		const run = await gateway.run(
			'text:chat',
			textParameters(chat, [toMessage('Hi')], { outputFormat: 'json', options: { stream: true } }),
		);

		expect(run.json(NODE)[0]).toMatchObject({ data: { reply: 'Hi', model: 'gp-4.1' } });
	});

	it("is refused with the gateway's message, and requested again after a 429", async () => {
		gateway.sandbox.faults.add({
			match: { path: chat.path },
			kind: { status: 429, retryAfter: '0' },
		});
		const patient = await gateway.run(
			'text:chat',
			textParameters(chat, [toMessage('Hi')], { options: { stream: true } }),
		);
		gateway.sandbox.settings.quotaExhausted = true;
		const poor = await gateway.run(
			'text:chat',
			textParameters(chat, [toMessage('Hi')], { options: { stream: true } }),
		);

		expect(patient.json(NODE)[0]).toMatchObject({ text: 'You said: Hi' });
		expect(poor.nodeError(NODE)).toMatchObject({
			message: expect.stringContaining('Insufficient balance'),
			context: { details: { http_status: 402, billed: 0 } },
		});
		expect(sentTo(gateway, chat)).toHaveLength(3);
	});

	it('is no option of generateContent, whose streaming path is not shown', async () => {
		const one = endpoint('generateContent');
		await gateway.run(
			one.menu,
			textParameters(one, [toMessage('Hi')], { options: { stream: true } }),
		);

		expect(bodiesTo(gateway, one)).toEqual([
			{ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
		]);
	});
});

describe('a workflow that streams', () => {
	it.each(STREAMING)('passes the pieces of $style to its client as they come', async (one) => {
		gateway.sandbox.settings.chunkMs = 1;
		const { heard, engine } = listener();
		const run = await gateway.run(one.menu, textParameters(one, long), { engine });

		expect(heard[0]).toEqual(['begin', undefined]);
		expect(heard.at(-1)).toEqual(['end', undefined]);
		const words = heard.slice(1, -1);
		expect(words.every(([type]) => type === 'item')).toBe(true);
		expect(words[0]).toEqual(['item', 'word1']);
		expect(words.length).toBeGreaterThan(1);
		expect(words.map(([, content]) => content).join('')).toBe(run.json(NODE)[0]?.text);
	});

	it('keeps an answer from its client where Stream is off, e.g. that of a classifier', async () => {
		const { heard, engine } = listener();
		const run = await gateway.run(
			'text:chat',
			textParameters(chat, long, { options: { stream: false } }),
			{
				engine,
			},
		);

		expect(heard).toEqual([]);
		expect(run.json(NODE)[0]).toMatchObject({ finish_reason: 'stop' });
		expect(bodiesTo(gateway, chat)).toEqual([expect.not.objectContaining({ stream: true })]);
	});

	it.each([false, true])(
		'does not tell its client what a tool of an agent answers (refused: %s)',
		async (isRefused) => {
			gateway.sandbox.settings.quotaExhausted = isRefused;
			const { heard, engine } = listener();
			const question = toMessage("={{ $fromAI('question', '', 'string') }}");
			await executeAsTool(
				gatewayNode('text:chat', textParameters(chat, [question])),
				{ question: 'Hi' },
				{ ...gateway.options(), ...engine },
			);

			// n8n adds the error that ends the execution.
			const words = expect.stringMatching(/^Insufficient balance: [^<]+ Top up [^<]+$/);
			expect(heard).toEqual(isRefused ? [['error', words]] : []);
			expect(bodiesTo(gateway, chat)).toEqual([expect.not.objectContaining({ stream: true })]);
		},
	);

	it('does not tell its client of an error that the workflow goes on with', async () => {
		gateway.sandbox.settings.quotaExhausted = true;
		const { heard, engine } = listener();
		const node = { onError: 'continueErrorOutput' as const };
		await gateway.run('text:chat', textParameters(chat, long), { engine, node });

		expect(heard.map(([type]) => type)).toEqual(['begin', 'end']);
	});

	it('reads a stream without passing it on where the client wants none', async () => {
		const run = await gateway.run(
			'text:chat',
			textParameters(chat, long, { options: { stream: true } }),
			{
				engine: { mode: 'webhook' },
			},
		);

		expect(run.json(NODE)[0]).toMatchObject({ finish_reason: 'stop' });
	});

	it('ends what it began also when the gateway refuses', async () => {
		gateway.sandbox.settings.quotaExhausted = true;
		const { heard, engine } = listener();
		await gateway.run('text:chat', textParameters(chat, long), { engine });

		expect(heard).toEqual([
			['begin', undefined],
			['end', undefined],
			[
				'error',
				expect.stringMatching(/^Insufficient balance: [^<]+\. Top up the account [^<]+ again\.$/),
			],
		]);
	});
});

describe('a task in a workflow that streams', () => {
	const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };

	it.each(['image:generate', 'task:await'] as const)(
		'is polled in %s, since a suspension would end the response',
		async (menu) => {
			gateway.sandbox.settings.taskMs = 300;
			const made = await gateway.run('image:generate', { ...kite, wait: 'none' });
			const taskId = made.json(NODE)[0]!.task_id as string;
			const parameters =
				menu === 'task:await' ? { taskId, waitBy: 'suspend' } : { ...kite, wait: 'suspend' };
			const run = await gateway.run(menu, parameters, { engine: listener().engine });

			expect(run.status).toBe('success');
			expect(run.json(NODE)[0]).toMatchObject({ status: 'completed' });
			expect(JSON.stringify(run.hints(NODE))).toContain('streams its response');
		},
	);
});
