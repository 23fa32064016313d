import type { ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { endpoint, toMessage, textParameters } from '../support/conversation';
import { NODE, type Menu } from '../support/gateway';
import { json, useStubGateway } from '../support/stubGateway';

const stub = useStubGateway();
const hi = [toMessage('Hi')];
const goOn = { node: { onError: 'continueRegularOutput' as const } };
const sleep = async (ms: number) => await new Promise((done) => void setTimeout(done, ms));

const complete = async (style: 'chat' | 'respond' | 'message' = 'chat', more = {}) =>
	await stub.run(
		`text:${style}` as Menu,
		textParameters(endpoint(style), hi, { options: { stream: true } }),
		{ ...goOn, ...more },
	);
const event = (data: unknown, end = '\n') =>
	`data: ${typeof data === 'string' ? data : JSON.stringify(data)}${end}${end}`;
const delta = (content: string, finish_reason: string | null = null) =>
	event({ model: 'gp-4.1', choices: [{ delta: { content }, finish_reason }] });

/** Answers with a stream of these pieces, each in a packet of its own. */
function streams(...pieces: (string | Buffer)[]) {
	stub.answer = async (response) => {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		for (const piece of pieces) {
			response.write(piece);
			await sleep(2);
		}
		response.end();
	};
}

describe('a stream that differs from the sandbox', () => {
	const text = 'Käse 🧀 und Brot';
	const usual = Buffer.from(
		`: hello\n\n${delta('Käse 🧀')}${delta(' und Brot')}${delta('', 'stop')}${event('[DONE]')}`,
	);

	it('may be cut within characters and lines', async () => {
		for (const size of [1, 7, 33]) {
			streams(
				...Array.from({ length: Math.ceil(usual.length / size) }, (_, at) =>
					usual.subarray(at * size, (at + 1) * size),
				),
			);
			expect((await complete()).json(NODE)[0]).toMatchObject({ text, finish_reason: 'stop' });
		}
	});

	it('may end its lines with carriage returns and line feeds', async () => {
		streams(usual.toString().replaceAll('\n', '\r\n'));
		expect((await complete()).json(NODE)[0]).toMatchObject({ text });
	});

	it.each([
		['[DONE] after a reason to finish', [delta(text), delta('', 'stop')]],
		['a reason to finish before [DONE]', [delta(text), event('[DONE]')]],
		['the last empty line', [delta(text), 'data: [DONE]']],
	])('may lack %s', async (_name, pieces) => {
		streams(...pieces);
		expect((await complete()).json(NODE)[0]).toMatchObject({ text });
	});

	it('may hold unknown chunks', async () => {
		streams(
			event({ ping: 1 }),
			event('hello'),
			event([1]),
			event('null'),
			event({ choices: [] }),
			event({ choices: [{ delta: null }] }),
			usual,
		);
		expect((await complete()).json(NODE)[0]).toMatchObject({ text });
	});

	it('may send the arguments of several tool calls in interleaved pieces', async () => {
		const toolCallDelta = (index: number, name?: string, part = '') =>
			event({
				choices: [
					{
						delta: {
							tool_calls: [
								{
									index,
									...(name && { id: `call_${index}` }),
									function: { ...(name && { name }), arguments: part },
								},
							],
						},
					},
				],
			});
		streams(
			toolCallDelta(0, 'lookup'),
			toolCallDelta(0, undefined, '{"city":'),
			toolCallDelta(1, 'sum', '{"a"'),
			toolCallDelta(0, undefined, '"Ghent"}'),
			toolCallDelta(1, undefined, ':1}'),
			delta('', 'tool_calls'),
		);

		expect((await complete()).json(NODE)[0]).toMatchObject({
			text: '',
			finish_reason: 'tool_calls',
			tool_calls: [
				{ id: 'call_0', name: 'lookup', arguments: { city: 'Ghent' } },
				{ id: 'call_1', name: 'sum', arguments: { a: 1 } },
			],
		});
	});

	it('may be a whole JSON response instead, an answer or an error', async () => {
		stub.answer = (response) =>
			void response
				.writeHead(200)
				.end(
					JSON.stringify(
						{ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] },
						null,
						2,
					),
				);
		expect((await complete()).json(NODE)[0]).toMatchObject({ text: 'Hi', finish_reason: 'stop' });
		stub.answer = (response) => json(response, { error: { message: 'Overloaded' } });
		expect((await complete()).json(NODE)[0]).toMatchObject({
			item_index: 0,
			error: 'The model gave no answer: Overloaded',
		});
		stub.answer = (response) =>
			json(response, { error: { message: 'Slow down', type: 'permission_error' } }, 403);
		expect((await complete()).json(NODE)[0]).toMatchObject({
			item_index: 0,
			error: expect.stringContaining('Slow down'),
			details: { http_status: 403 },
		});
	});
});

describe('a stream that breaks off', () => {
	const details = (text: string) =>
		expect.objectContaining({ retry: true, may_have_executed: true, text });
	const inStyle: Record<string, [string, string]> = {
		chat: [delta('Half an'), event({ error: { message: 'Upstream gone' } })],
		respond: [
			event({ type: 'response.output_text.delta', delta: 'Half an' }),
			event({
				type: 'response.failed',
				response: { status: 'failed', error: { message: 'Upstream gone' }, output: [] },
			}),
		],
		message: [
			event({
				type: 'content_block_delta',
				index: 0,
				delta: { type: 'text_delta', text: 'Half an' },
			}),
			`event: error\n${event({ type: 'error', error: { type: 'server_error', message: 'Upstream gone' } })}`,
		],
	};

	it.each(['chat', 'respond', 'message'] as const)(
		'with an error in %s keeps what arrived',
		async (style) => {
			streams(...inStyle[style]!);
			expect((await complete(style)).json(NODE)).toEqual([
				{
					item_index: 0,
					error: 'The answer broke off: Upstream gone',
					message: 'Run again for a whole answer. Not known whether it was carried out and billed.',
					details: details('Half an'),
				},
			]);
		},
	);

	it.each(['chat', 'respond', 'message'] as const)(
		'and just stops in %s is no answer',
		async (style) => {
			streams(inStyle[style]![0]);
			expect((await complete(style)).json(NODE)).toEqual([
				expect.objectContaining({ error: 'The answer broke off', details: details('Half an') }),
			]);
		},
	);

	it('with its connection keeps what arrived, and is not requested again', async () => {
		stub.answer = async (response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('Half an'));
			await sleep(20);
			response.destroy();
		};
		expect((await complete()).json(NODE)).toEqual([
			expect.objectContaining({ error: 'The answer broke off', details: details('Half an') }),
		]);
		expect(stub.bodies).toHaveLength(1);
	});

	it('before its first event is a failed connection', async () => {
		stub.answer = (response) => void response.destroy();
		expect((await complete()).json(NODE)).toEqual([
			expect.objectContaining({
				item_index: 0,
				error: expect.stringContaining('The gateway could not be reached'),
			}),
		]);
		expect(stub.bodies).toHaveLength(1);
	});

	it.each([
		['a web page', '<html>Hello</html>'],
		['nothing', ''],
		['comments', ': ping\n\n'],
	])('is not mistaken for %s', async (_name, content) => {
		stub.answer = (response) =>
			void response.writeHead(200, { 'content-type': 'text/html' }).end(content);
		expect((await complete()).json(NODE)).toEqual([
			expect.objectContaining({
				item_index: 0,
				error: 'The gateway answered without text',
				message: expect.stringContaining('check that Base URL'),
			}),
		]);
	});
});

describe('a run that is stopped', () => {
	it('closes the stream it reads', async () => {
		const user = new AbortController();
		const closed = new Promise<void>((done) => {
			stub.answer = (response: ServerResponse) => {
				response.on('close', done);
				response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta('Half an'));
				setTimeout(() => user.abort(), 20);
			};
		});
		const run = await complete('chat', { engine: { signal: user.signal } as IDataObject });

		await closed;
		expect(run.status).toBe('canceled');
		expect(stub.bodies).toHaveLength(1);
	});
});
