import type { ByteStream } from '../../../nodes/gateway/context';
import type { JsonObject } from '../../../nodes/gateway/json';
import { textAdapters } from '../../../nodes/gateway/text';
import type { TextAdapter } from '../../../nodes/gateway/text/adapter';
import { completeText } from '../../../nodes/gateway/text/complete';
import { catchError } from '../../support/gatewayClient';
import { createBody, createVirtualGateway, ok, refusal } from '../../support/virtualGateway';

type Steps = Parameters<typeof createBody>[1];
type Streaming = 'chat' | 'respond' | 'message';

const SILENCE_MS = 30_000;
/** Before an answer begins. */
const TIMEOUT_MS = 600_000;
const toEvent = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

interface StreamCase {
	pieces: string[];
	/** The last event of an answer; some connections stay open behind it. */
	end: string;
	reply: JsonObject;
}

/** The answer `Hello` of each endpoint that streams, in pieces and whole. */
const CASES: Record<Streaming, StreamCase> = {
	chat: {
		pieces: [
			toEvent({ choices: [{ delta: { content: 'Hel' } }] }),
			toEvent({ choices: [{ delta: { content: 'lo' } }] }),
			toEvent({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
		],
		end: 'data: [DONE]\n\n',
		reply: { choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] },
	},
	respond: {
		pieces: [
			toEvent({ type: 'response.output_text.delta', delta: 'Hel' }),
			toEvent({ type: 'response.output_text.delta', delta: 'lo' }),
		],
		end: toEvent({
			type: 'response.completed',
			response: { status: 'completed', output: [{ type: 'message', content: 'Hello' }] },
		}),
		reply: { status: 'completed', output: [{ type: 'message', content: 'Hello' }] },
	},
	message: {
		pieces: [
			toEvent({ type: 'message_start', message: { id: 'msg_1' } }),
			toEvent({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hel' } }),
			toEvent({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'lo' } }),
		],
		end: toEvent({ type: 'message_stop' }),
		reply: { content: [{ type: 'text', text: 'Hello' }] },
	},
};
const endpoints = Object.keys(CASES) as Streaming[];

const EVENTS = 'text/event-stream';

interface Setting {
	type?: string;
	isStream?: boolean;
	signal?: AbortSignal;
}

/** Completes a text at a gateway whose body comes in these steps. */
function complete(
	endpoint: keyof typeof textAdapters,
	steps: Steps,
	{ type = EVENTS, isStream = true, signal }: Setting = {},
) {
	const bodies: ReturnType<typeof createBody>[] = [];
	const gateway = createVirtualGateway(
		() => {
			const body = createBody(gateway.clock, steps);
			bodies.push(body);
			return ok(body.stream, { 'content-type': type });
		},
		{ signal },
	);
	const heard: string[] = [];
	const startedAt = gateway.clock.now();
	const result = gateway.clock.run(
		completeText(gateway.client, textAdapters[endpoint] as TextAdapter, {
			model: 'some-model',
			body: async () => ({ model: 'some-model' }),
			isStream,
			silenceMs: SILENCE_MS,
			onText: (text) => heard.push(text),
		}),
	);
	result.catch(() => undefined);
	return { result, heard, bodies, ...gateway, elapsed: () => gateway.clock.now() - startedAt };
}

it('has a case for every endpoint that streams', () => {
	const streaming = Object.entries(textAdapters).flatMap(([name, adapter]) =>
		'createStreamParser' in adapter ? [name] : [],
	);
	expect(streaming.sort()).toEqual([...endpoints].sort());
});

describe.each(endpoints)('a stream of %s', (endpoint) => {
	const { pieces, end, reply } = CASES[endpoint];
	const whole = JSON.stringify(reply);

	it('is read piece by piece', async () => {
		const { result, heard, requests } = complete(endpoint, [...pieces, end]);

		expect((await result).texts).toEqual(['Hello']);
		expect(heard).toEqual(['Hel', 'lo']);
		expect(requests).toMatchObject([{ body: { model: 'some-model', stream: true } }]);
	});

	it('is handed on in joined pieces where it comes faster than every 10 ms', async () => {
		const at = pieces.findIndex((piece) => piece.includes('"lo"'));
		const many = Array.from({ length: 100 }, () => [pieces[at]!, 1]).flat();
		const { result, heard } = complete(endpoint, [
			...pieces.slice(0, at),
			...many,
			...pieces.slice(at + 1),
			end,
		]);
		await result;

		expect(heard.join('').replace('Hel', '')).toBe('lo'.repeat(100));
		expect(heard.length).toBeLessThanOrEqual(11);
	});

	it('ends at its end marker, though the connection stays open', async () => {
		const { result, elapsed, bodies } = complete(endpoint, [...pieces, end, 'stall']);

		expect((await result).texts).toEqual(['Hello']);
		expect(elapsed()).toBe(0);
		expect(bodies[0]!.isDestroyed()).toBe(true);
	});

	it('is whole where the connection breaks after the end marker', async () => {
		const { result } = complete(endpoint, [...pieces, end, new Error('reset')]);

		expect((await result).texts).toEqual(['Hello']);
	});

	it('is read however it is cut into pieces', async () => {
		const { result, heard } = complete(endpoint, [...(pieces.join('') + end)]);

		expect((await result).texts).toEqual(['Hello']);
		expect(heard.join('')).toBe('Hello');
	});

	it.each([
		['breaks', new Error('reset'), 0],
		['stalls', 'stall', SILENCE_MS],
		['just ends', '', 0],
	] as const)('keeps the part that has come when it %s', async (_name, last, ms) => {
		const { result, heard, elapsed, requests } = complete(endpoint, [...pieces.slice(0, 2), last]);
		const error = await catchError(result);

		expect(error).toMatchObject({ code: 'text_interrupted', details: { retry: true } });
		expect(error.details.text).toBe(endpoint === 'message' ? 'Hel' : 'Hello');
		expect(heard.join('')).toBe(error.details.text);
		expect(error.details.billed).toBeUndefined();
		expect(elapsed()).toBe(ms);
		expect(requests).toHaveLength(1);
	});

	it('keeps the part that has come when the gateway reports an error', async () => {
		const failure = toEvent({ error: { message: 'The upstream is away.' } });
		const { result } = complete(endpoint, [...pieces.slice(0, 2), failure, 'stall']);

		expect(await catchError(result)).toMatchObject({
			code: 'text_interrupted',
			message: 'The answer broke off: The upstream is away.',
		});
	});

	const words = 'The upstream is away.';
	it.each([
		['plain text', words],
		[
			'an object of its own type',
			JSON.stringify({ code: 500, message: words, type: 'server_error' }),
		],
	])('breaks off at an event of the name "error" with %s', async (_name, data) => {
		const failure = `event: error\ndata: ${data}\n\n`;
		const begun = complete(endpoint, [...pieces.slice(0, 2), failure, end]);
		expect(await catchError(begun.result)).toMatchObject({
			code: 'text_interrupted',
			message: `The answer broke off: ${words}`,
		});
		const atOnce = await catchError(complete(endpoint, [failure, end]).result);
		expect([atOnce.code, atOnce.message]).toEqual(
			data === words
				? ['text_interrupted', `The answer broke off: ${words}`]
				: ['gateway_error', `The gateway could not process the request: ${words}`],
		);
	});

	it('was carried out where something came before an error with a status', async () => {
		for (const code of [404, 429, 502]) {
			const failure = toEvent({ error: { code, message: words } });
			const { result } = complete(endpoint, [toEvent({ usage: { output_tokens: 8 } }), failure]);

			expect(await catchError(result)).toMatchObject({
				code: 'text_interrupted',
				message: `The answer broke off: ${words}`,
			});
		}
	});

	it.each([
		[402, 'insufficient_balance', false],
		[404, 'not_found', false],
		[429, 'rate_limited', true],
		[503, 'gateway_error', true],
	])('says why nothing came at an error with status %i', async (code, name, retry) => {
		const { result } = complete(endpoint, [toEvent({ error: { code, message: words } })]);

		expect(await catchError(result)).toMatchObject({ code: name, details: { retry } });
	});

	it.each([
		['an error', toEvent({ error: { message: 'Late' } })],
		['more text', pieces.find((piece) => piece.includes('"lo"'))!],
	])('is whole at its end marker, with %s in the same packet', async (_name, more) => {
		const { result, heard } = complete(endpoint, [pieces.join('') + end + more]);

		expect((await result).texts).toEqual(['Hello']);
		expect(heard.join('')).toBe('Hello');
	});

	it('may hold the whole answer in one event', async () => {
		const { result, heard } = complete(endpoint, [toEvent(reply), 'data: [DONE]\n\n']);

		expect((await result).texts).toEqual(['Hello']);
		expect(heard).toEqual(['Hello']);
	});

	it('is no answer where it holds nothing but an end marker', async () => {
		const { result } = complete(endpoint, ['data: [DONE]\n\n']);

		expect(await catchError(result)).toMatchObject({
			code: 'unreadable_response',
			message: 'The gateway answered without text',
		});
	});

	it('ends after the time for an answer before its first byte', async () => {
		const { result, elapsed } = complete(endpoint, ['stall']);

		expect(await catchError(result)).toMatchObject({
			code: 'timeout',
			details: { may_have_executed: true },
		});
		expect(elapsed()).toBe(TIMEOUT_MS);
	});

	it('may think for longer than the silence before it begins, and say that it is alive', async () => {
		const alive = Array.from({ length: 70 }, () => [1_000, ': keep-alive\n\n']).flat();
		const { result } = complete(endpoint, [...alive, ...pieces, end]);

		expect((await result).texts).toEqual(['Hello']);
	});

	it('may have events for longer than the time for an answer before it begins', async () => {
		const thinking = Array.from({ length: 70 }, () => [20_000, toEvent({ type: 'ping' })]).flat();
		const { result } = complete(endpoint, [...thinking, ...pieces, end]);

		expect((await result).texts).toEqual(['Hello']);
	});

	it('is not waited for once the answer is whole, though the connection stays open', async () => {
		const isWhole = endpoint === 'chat';
		const { result, elapsed } = complete(endpoint, [...pieces, ...(isWhole ? [] : [end]), 'stall']);

		expect((await result).texts).toEqual(['Hello']);
		expect(elapsed()).toBe(isWhole ? 5_000 : 0);
	});

	it('that is interrupted may have been carried out', async () => {
		const { result } = complete(endpoint, [...pieces.slice(0, 2), new Error('reset')]);

		expect(await catchError(result)).toMatchObject({
			code: 'text_interrupted',
			details: { may_have_executed: true, billed: undefined },
		});
	});

	it('is requested again after a 429 in its first event', async () => {
		const refused = toEvent({ error: { code: 429, message: 'Slow down' } });
		const all = [[refused], [...pieces, end]];
		const gateway = createVirtualGateway((_request, index) =>
			ok(createBody(gateway.clock, all[index]!).stream, { 'content-type': EVENTS }),
		);
		const completed = completeText(gateway.client, textAdapters[endpoint] as TextAdapter, {
			model: 'some-model',
			body: async () => ({ model: 'some-model' }),
			isStream: true,
			silenceMs: SILENCE_MS,
		});

		expect((await gateway.clock.run(completed)).texts).toEqual(['Hello']);
		expect(gateway.requests).toHaveLength(2);
	});

	it.each([
		['comments', ': keep-alive\n\n'],
		['empty lines', '\n'],
		['events without data', 'event: ping\n\n'],
	])(
		'ends after silence that only %s interrupt, and closes the connection',
		async (_name, alive) => {
			const { result, elapsed, bodies } = complete(endpoint, [
				...pieces.slice(0, 2),
				...Array.from({ length: 1_000 }, () => [1_000, alive]).flat(),
			]);

			expect(await catchError(result)).toMatchObject({ code: 'text_interrupted' });
			expect(elapsed()).toBe(SILENCE_MS);
			expect(bodies[0]!.isDestroyed()).toBe(true);
		},
	);

	it('ends after an hour, whatever comes, and keeps what has come', async () => {
		const steps = Array.from({ length: 10_000 }, () => [20_000, pieces.at(-2)!]).flat();
		const { result, elapsed, bodies } = complete(endpoint, [pieces[0]!, ...steps]);
		const error = await catchError(result);

		expect(error.code).toBe('text_interrupted');
		expect(error.message).toContain('for more than an hour');
		expect(elapsed()).toBe(3_600_000);
		expect(bodies[0]!.isDestroyed()).toBe(true);
	});

	it.each(['application/json', 'text/plain', ''])(
		'is read by its body, labelled "%s"',
		async (type) => {
			const { result, heard } = complete(endpoint, [...pieces, end], { type });

			expect((await result).texts).toEqual(['Hello']);
			expect(heard).toEqual(['Hel', 'lo']);
		},
	);

	it('ends when it is larger than any answer', async () => {
		const steps = Array.from({ length: 70 }, () => 'x'.repeat(1_000_000));
		const { result } = complete(endpoint, steps);

		expect((await catchError(result)).message).toContain('more than 64 MB');
	});

	it('ends at once when the user stops the execution, and closes the connection', async () => {
		const user = new AbortController();
		const { result, clock, elapsed, bodies } = complete(endpoint, [...pieces, 'stall'], {
			signal: user.signal,
		});
		clock.after(700, () => user.abort());

		expect(await catchError(result)).toMatchObject({ code: 'stopped' });
		expect(elapsed()).toBe(700);
		expect(bodies[0]!.isDestroyed()).toBe(true);
	});

	it.each(['application/json', 'text/plain', EVENTS])(
		'may come as a whole answer in any number of pieces, as %s',
		async (type) => {
			const long = JSON.stringify({ ...reply, padding: 'x'.repeat(300_000) });
			const parts = long.match(/.{1,1000}/gs)!;
			const { result, heard } = complete(endpoint, parts, { type });

			expect((await result).texts).toEqual(['Hello']);
			expect(heard).toEqual(['Hello']);
		},
	);

	it('as a whole answer ends after the time for an answer', async () => {
		const { result, elapsed } = complete(endpoint, [whole.slice(0, 9), 'stall'], {
			type: 'application/json',
		});

		expect(await catchError(result)).toMatchObject({ code: 'timeout' });
		expect(elapsed()).toBe(TIMEOUT_MS);
	});

	it.each([
		['a web page', '<html>Hello</html>', 'text/html'],
		['nothing', '', EVENTS],
		['half a JSON', '{"choices": [', 'application/json'],
	])('that is %s is no answer', async (_name, body, type) => {
		expect(await catchError(complete(endpoint, [body], { type }).result)).toMatchObject({
			code: 'unreadable_response',
		});
	});

	it('that is an error with status 200 says why', async () => {
		const body = JSON.stringify({ error: { message: 'Not today.' } });
		const { result } = complete(endpoint, [body], { type: 'application/json' });

		expect(await catchError(result)).toMatchObject({
			code: 'text_refused',
			message: 'The model gave no answer: Not today.',
		});
	});

	it('is asked for in one piece where no stream is wanted', async () => {
		const { result, heard, requests } = complete(endpoint, [whole], { isStream: false });

		expect((await result).texts).toEqual(['Hello']);
		expect(heard).toEqual(['Hello']);
		expect(requests[0]!.headers.accept).toBe('application/json');
		expect(requests[0]!.body).not.toHaveProperty('stream');
	});
});

it('asks an endpoint that does not stream in one piece', async () => {
	const whole = { candidates: [{ content: { parts: [{ text: 'Hello' }] } }] };
	const { result, heard, requests } = complete('generateContent', [JSON.stringify(whole)]);

	expect((await result).texts).toEqual(['Hello']);
	expect(heard).toEqual(['Hello']);
	expect(requests[0]!.headers.accept).toBe('application/json');
});

it('takes a response that failed for no answer, and keeps what it holds', async () => {
	const whole = {
		status: 'failed',
		error: { message: 'No' },
		output: [{ type: 'message', content: 'Half' }],
	};
	const { result } = complete('respond', [JSON.stringify(whole)], { isStream: false });

	expect(await catchError(result)).toMatchObject({
		code: 'text_refused',
		message: 'The model gave no answer: No',
		details: { text: 'Half' },
	});
});

it('reads the refusal of a stream, whose body is a stream too', async () => {
	const { client, clock } = createVirtualGateway(() => {
		const { body } = refusal(402, 'Top up');
		return { status: 402, headers: {}, body: createBody(clock, [JSON.stringify(body)]).stream };
	});
	const adapter = textAdapters.chat;
	const body = async () => ({ model: 'gp-5' });
	const options = { model: 'gp-5', body, isStream: true, silenceMs: SILENCE_MS };

	expect(await clock.run(catchError(completeText(client, adapter, options)))).toMatchObject({
		code: 'insufficient_balance',
		message: 'Insufficient balance: Top up',
		details: { http_status: 402, billed: 0 },
	});
});

it('closes a stream that begins at the moment of a stop', async () => {
	const user = new AbortController();
	const { client, clock } = createVirtualGateway(() => ok(createBody(clock, ['stall']).stream), {
		signal: user.signal,
	});
	const reading = client.stream(
		{ kind: 'write', method: 'POST', path: '/v1/chat/completions' },
		() => SILENCE_MS,
		async (pieces) => {
			user.abort();
			for await (const piece of pieces as ByteStream) expect(piece).toBeUndefined();
		},
	);
	const startedAt = clock.now();

	expect(await clock.run(catchError(reading))).toMatchObject({ code: 'stopped' });
	expect(clock.now()).toBe(startedAt);
});

it.each([
	['the user stops the execution', 'stopped', 700],
	['it does not begin', 'timeout', TIMEOUT_MS],
])('ends a stream that reports nothing when it is destroyed, once %s', async (_name, code, ms) => {
	const user = new AbortController();
	const never = new Promise<IteratorResult<Uint8Array>>(() => undefined);
	const stream = { [Symbol.asyncIterator]: () => ({ next: () => never }), destroy: jest.fn() };
	const { client, clock } = createVirtualGateway(() => ok(stream), { signal: user.signal });
	const startedAt = clock.now();
	if (code === 'stopped') clock.after(700, () => user.abort());
	const reading = completeText(client, textAdapters.chat, {
		model: 'gp-5',
		body: async () => ({ model: 'gp-5' }),
		isStream: true,
		silenceMs: SILENCE_MS,
	});

	expect(await clock.run(catchError(reading))).toMatchObject({ code });
	expect(clock.now() - startedAt).toBe(ms);
	expect(stream.destroy).toHaveBeenCalled();
});

it('reports a response that failed in its only event', async () => {
	const error = { code: 503, message: 'Overloaded' };
	const failed = { type: 'response.failed', response: { status: 'failed', output: [], error } };
	const { result } = complete('respond', [toEvent(failed)]);

	expect((await catchError(result)).message).toContain('Overloaded');
});

it.each([
	['chat', { choices: [], usage: { total_tokens: 18 } }],
	['message', { content: null, usage: { output_tokens: 18 } }],
] as const)('says that a reply of %s without text may have been paid', async (endpoint, reply) => {
	const { result } = complete(endpoint, [JSON.stringify(reply)], { isStream: false });

	expect(await catchError(result)).toMatchObject({
		code: 'unreadable_response',
		message: 'The gateway answered without text',
		details: { may_have_executed: true },
	});
});

it('waits for a further alternative as long as within an answer', async () => {
	const alternative = (index: number) =>
		toEvent({ choices: [{ index, delta: { content: `answer ${index}` }, finish_reason: 'stop' }] });
	const gateway = createVirtualGateway(() =>
		ok(createBody(gateway.clock, [alternative(0), 20_000, alternative(1)]).stream, {
			'content-type': EVENTS,
		}),
	);
	const completed = completeText(gateway.client, textAdapters.chat, {
		model: 'gp-5',
		body: async () => ({ model: 'gp-5', n: 2 }),
		isStream: true,
		silenceMs: SILENCE_MS,
	});

	expect((await gateway.clock.run(completed)).texts).toEqual(['answer 0', 'answer 1']);
});
