import { setTimeout as sleep } from 'node:timers/promises';
import { file } from '../../scripts/engine';
import {
	bodiesTo,
	endpoint,
	ENDPOINTS,
	toMessage,
	sentTo,
	textParameters,
} from '../support/conversation';
import { NODE, useGateway } from '../support/gateway';
import { json, useStubGateway } from '../support/stubGateway';

const gateway = useGateway();
const stub = useStubGateway();
const chat = endpoint('chat');
const hello = [toMessage('Hello there')];

describe('a simplified answer', () => {
	const finish = {
		chat: 'stop',
		respond: 'completed',
		message: 'end_turn',
		generateContent: 'STOP',
	} as Record<string, string>;

	it.each(ENDPOINTS)('of $style is its text with the tokens it used', async (one) => {
		const run = await gateway.run(one.menu, textParameters(one, hello));

		expect(run.items(NODE)).toEqual([
			{
				json: {
					text: 'You said: Hello there',
					model: one.model,
					finish_reason: finish[one.style],
					usage: { input_tokens: 2, output_tokens: 4, total_tokens: 6 },
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('holds all alternatives when several were asked for', async () => {
		const run = await gateway.run('text:chat', textParameters(chat, hello, { options: { n: 2 } }));

		expect(run.json(NODE)[0]).toMatchObject({
			text: 'You said: Hello there',
			texts: ['You said: Hello there', 'You said: Hello there'],
			finish_reasons: ['stop', 'stop'],
		});
	});

	it.each([true, false])(
		'is that of another model where it was an error 404, stream %s',
		async (stream) => {
			stub.answer = (response, { model }) =>
				json(
					response,
					model === 'gp-5'
						? { choices: [{ message: { content: 'Hi' } }] }
						: { error: { code: 404, message: 'No such model' } },
				);
			const options = { stream, fallbackModels: 'gp-5' };
			const run = await stub.run('text:chat', textParameters(chat, hello, { options }));

			expect(run.json(NODE)).toMatchObject([{ text: 'Hi', fallback_from: 'gp-4.1' }]);
		},
	);

	it('has the sources that it names', async () => {
		const source = { type: 'url_citation', url: 'https://example.com/tides', title: 'Tides' };
		const content = [{ type: 'output_text', text: 'At noon', annotations: [source] }];
		stub.answer = (response) =>
			json(response, { status: 'completed', output: [{ type: 'message', content }] });
		const run = await stub.run('text:respond', textParameters(endpoint('respond'), hello));

		expect(run.json(NODE)).toMatchObject([{ text: 'At noon', annotations: [source] }]);
	});

	it('states the charge where the gateway does', async () => {
		stub.answer = (response) =>
			json(response, {
				choices: [{ message: { content: 'Hi' } }],
				usage: { prompt_tokens: 1, cost: 1500 },
			});
		const run = await stub.run('text:chat', textParameters(chat, hello));

		expect(run.json(NODE)).toEqual([
			{
				text: 'Hi',
				model: 'gp-4.1',
				finish_reason: null,
				usage: { input_tokens: 1, output_tokens: null, total_tokens: 1 },
				cost: 1500,
				cost_usd: 0.003,
			},
		]);
	});
});

describe('a raw answer', () => {
	const object = {
		chat: 'choices',
		respond: 'output',
		message: 'content',
		generateContent: 'candidates',
	} as Record<string, string>;

	it.each(ENDPOINTS)("of $style is the gateway's own object", async (one) => {
		const run = await gateway.run(
			one.menu,
			textParameters(one, hello, { options: { simplify: false } }),
		);

		const [{ text, ...raw } = { text: undefined }] = run.json(NODE);
		expect(raw[object[one.style]!]).toEqual(expect.any(Array));
		if (one.style !== 'respond') expect(text).toBeUndefined();
	});
});

describe('tools', () => {
	const lookup = {
		type: 'function',
		function: {
			name: 'lookup',
			parameters: { type: 'object', properties: { city: { type: 'string' } } },
		},
	};
	const toolPrompt = [toMessage('use tool lookup {"city": "Ghent"}')];

	it.each(['chat', 'respond'] as const)(
		'are called by %s with arguments that are parsed',
		async (style) => {
			const one = endpoint(style);
			const run = await gateway.run(
				one.menu,
				textParameters(one, toolPrompt, {
					outputFormat: 'json',
					options: { tools: JSON.stringify([lookup]) },
				}),
			);

			expect(bodiesTo(gateway, one)).toEqual([expect.objectContaining({ tools: [lookup] })]);
			expect(run.json(NODE)[0]).toMatchObject({
				text: '',
				tool_calls: [
					{ id: expect.stringMatching(/^call_/), name: 'lookup', arguments: { city: 'Ghent' } },
				],
			});
			expect(run.json(NODE)[0]).not.toHaveProperty('data');
		},
	);

	it('of a kind that respond does not take are refused', async () => {
		const options = {
			tools: '[{ "type": "web_search" }, { "type": "code_interpreter" }, { "name": "x" }]',
		};
		const run = await gateway.run(
			'text:respond',
			textParameters(endpoint('respond'), toolPrompt, { options }),
		);

		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.nodeError(NODE)).toMatchObject({
			message:
				'Type in Tools must be web_search, file_search, function or remote_mcp, but is code_interpreter',
			description: expect.stringContaining('Type in Tools is empty'),
		});
	});
});

it('goes on from a last message of the assistant, also where it is JSON', async () => {
	stub.answer = (response) =>
		json(response, { content: [{ type: 'text', text: '"name": "Ada", "tags": ["a"]}' }] });
	const given = [toMessage('Who?'), toMessage('{', 'assistant')];
	const parameters = { outputFormat: 'json' };
	const run = await stub.run(
		'text:message',
		textParameters(endpoint('message'), given, parameters),
	);

	expect(run.json(NODE)).toMatchObject([{ data: { name: 'Ada', tags: ['a'] } }]);
});

it('has files of a few rows in memory at once only', async () => {
	const photo = file(Buffer.alloc(20_000_000), 'photo.png', 'image/png');
	const items = Array.from({ length: 5 }, () => ({ json: {}, binary: { data: photo } }));
	const start = Date.now();
	let [arrived, open, most] = [0, 0, 0];
	let others: Promise<unknown> | undefined;
	stub.answer = async (response) => {
		arrived += 1;
		most = Math.max(most, (open += 1));
		while (arrived < 3) await sleep(10);
		// A fourth has as long to arrive as the first three took, however busy the machine is.
		await (others ??= sleep(Date.now() - start));
		open -= 1;
		json(response, { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
	};
	const given = [toMessage('Look', 'user', { binaryFields: 'data' })];
	const run = await stub.run('text:chat', textParameters(endpoint('chat'), given), {
		items: items as never[],
	});

	expect(run.json(NODE)).toHaveLength(5);
	expect(most).toBe(3);
});

describe('a response without an answer', () => {
	it.each([
		[
			'an error with status 200',
			{ error: { message: 'Overloaded' } },
			'The model gave no answer: Overloaded',
		],
		[
			'a failed response',
			{ object: 'response', status: 'failed', output: [], error: null },
			'The model gave no answer: The response failed',
		],
		[
			'a failed response that says why',
			{ status: 'failed', error: { message: 'No capacity' } },
			'The model gave no answer: No capacity',
		],
		['a list', [1], 'The gateway answered without text'],
	])('is no success: %s', async (_name, body, words) => {
		stub.answer = (response) => json(response, body);
		const run = await stub.run('text:respond', textParameters(endpoint('respond'), hello));

		expect(run.nodeError(NODE)?.message).toBe(words);
	});
});

describe('an account without balance', () => {
	it.each(ENDPOINTS)('is reported by $style, and no request is repeated', async (one) => {
		gateway.sandbox.settings.quotaExhausted = true;
		const run = await gateway.run(one.menu, textParameters(one, hello), {
			node: { onError: 'continueRegularOutput' },
		});

		expect(run.json(NODE)).toEqual([
			{
				item_index: 0,
				error: expect.stringContaining('Insufficient balance'),
				message: expect.stringContaining('Top up the account'),
				details: {
					retry: false,
					http_status: 402,
					billed: 0,
					code: 'insufficient_balance',
					gateway_code: '402',
					gateway_type: 'payment_required',
				},
			},
		]);
		expect(sentTo(gateway, one)).toHaveLength(1);
	});
});
