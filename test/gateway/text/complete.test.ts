import { textAdapters } from '../../../nodes/gateway/text';
import { completeText } from '../../../nodes/gateway/text/complete';
import { catchError } from '../../support/gatewayClient';
import {
	completeFrom,
	EVENTS,
	SILENCE_MS,
	STREAM_CASES,
	STREAM_ENDPOINTS,
	toEvent,
} from '../../support/streamedAnswer';
import { createBody, createVirtualGateway, refusal } from '../../support/virtualGateway';

it('has a case for every endpoint that streams', () => {
	const streaming = Object.entries(textAdapters).flatMap(([name, adapter]) =>
		'createStreamParser' in adapter ? [name] : [],
	);
	expect(streaming.sort()).toEqual([...STREAM_ENDPOINTS].sort());
});

describe.each(STREAM_ENDPOINTS)('a stream of %s', (endpoint) => {
	const { pieces, end, reply } = STREAM_CASES[endpoint];
	const whole = JSON.stringify(reply);

	it('is read piece by piece', async () => {
		const { result, heard, requests } = completeFrom(endpoint, [...pieces, end]);

		expect((await result).texts).toEqual(['Hello']);
		expect(heard).toEqual(['Hel', 'lo']);
		expect(requests).toMatchObject([{ body: { model: 'some-model', stream: true } }]);
	});

	it('is handed on in joined pieces where it comes faster than every 10 ms', async () => {
		const at = pieces.findIndex((piece) => piece.includes('"lo"'));
		const many = Array.from({ length: 100 }, () => [pieces[at]!, 1]).flat();
		const { result, heard } = completeFrom(endpoint, [
			...pieces.slice(0, at),
			...many,
			...pieces.slice(at + 1),
			end,
		]);
		await result;

		expect(heard.join('').replace('Hel', '')).toBe('lo'.repeat(100));
		expect(heard.length).toBeLessThanOrEqual(11);
	});

	it('is whole where the connection breaks after the end marker', async () => {
		const { result } = completeFrom(endpoint, [...pieces, end, new Error('reset')]);

		expect((await result).texts).toEqual(['Hello']);
	});

	it('is whole where an error follows the answer', async () => {
		const { result } = completeFrom(endpoint, [...pieces, end, toEvent({ error: 'No' })]);

		expect((await result).texts).toEqual(['Hello']);
	});

	it('is read however it is cut into pieces', async () => {
		const { result, heard } = completeFrom(endpoint, [...(pieces.join('') + end)]);

		expect((await result).texts).toEqual(['Hello']);
		expect(heard.join('')).toBe('Hello');
	});

	it.each([
		['breaks', new Error('reset'), 0],
		['stalls', 'stall', SILENCE_MS],
		['just ends', '', 0],
	] as const)('keeps the part that has come when it %s', async (_name, last, ms) => {
		const { result, heard, elapsed, requests } = completeFrom(endpoint, [
			...pieces.slice(0, 2),
			last,
		]);
		const error = await catchError(result);

		expect(error).toMatchObject({ code: 'text_interrupted', details: { retry: true } });
		expect(error.details.text).toBe(endpoint === 'message' ? 'Hel' : 'Hello');
		expect(heard.join('')).toBe(error.details.text);
		expect(error.details.billed).toBeUndefined();
		expect(elapsed()).toBe(ms);
		expect(requests).toHaveLength(1);
	});

	it.each([
		['an error', toEvent({ error: { message: 'Late' } })],
		['more text', pieces.find((piece) => piece.includes('"lo"'))!],
	])('is whole at its end marker, with %s in the same packet', async (_name, more) => {
		const { result, heard } = completeFrom(endpoint, [pieces.join('') + end + more]);

		expect((await result).texts).toEqual(['Hello']);
		expect(heard.join('')).toBe('Hello');
	});

	it('may hold the whole answer in one event', async () => {
		const { result, heard } = completeFrom(endpoint, [toEvent(reply), 'data: [DONE]\n\n']);

		expect((await result).texts).toEqual(['Hello']);
		expect(heard).toEqual(['Hello']);
	});

	it('is no answer where it holds nothing but an end marker', async () => {
		const { result } = completeFrom(endpoint, ['data: [DONE]\n\n']);

		expect(await catchError(result)).toMatchObject({
			code: 'unreadable_response',
			message: 'The gateway answered without text',
		});
	});

	it.each(['application/json', 'text/plain', ''])(
		'is read by its body, labelled "%s"',
		async (type) => {
			const { result, heard } = completeFrom(endpoint, [...pieces, end], { type });

			expect((await result).texts).toEqual(['Hello']);
			expect(heard).toEqual(['Hel', 'lo']);
		},
	);

	it('ends when it is larger than any answer', async () => {
		const steps = Array.from({ length: 70 }, () => 'x'.repeat(1_000_000));
		const { result } = completeFrom(endpoint, steps);

		expect((await catchError(result)).message).toContain('more than 64 MB');
	});

	it.each(['application/json', 'text/plain', EVENTS])(
		'may come as a whole answer in any number of pieces, as %s',
		async (type) => {
			const long = JSON.stringify({ ...reply, padding: 'x'.repeat(300_000) });
			const parts = long.match(/.{1,1000}/gs)!;
			const { result, heard } = completeFrom(endpoint, parts, { type });

			expect((await result).texts).toEqual(['Hello']);
			expect(heard).toEqual(['Hello']);
		},
	);

	it.each([
		['a web page', '<html>Hello</html>', 'text/html'],
		['nothing', '', EVENTS],
		['half a JSON', '{"choices": [', 'application/json'],
	])('that is %s is no answer', async (_name, body, type) => {
		expect(await catchError(completeFrom(endpoint, [body], { type }).result)).toMatchObject({
			code: 'unreadable_response',
		});
	});

	it('that is an error with status 200 says why', async () => {
		const body = JSON.stringify({ error: { message: 'Not today.' } });
		const { result } = completeFrom(endpoint, [body], { type: 'application/json' });

		expect(await catchError(result)).toMatchObject({
			code: 'text_refused',
			message: 'The model gave no answer: Not today.',
		});
	});

	it('that is a message without an answer says it', async () => {
		const body = JSON.stringify({ success: false, message: 'Not today.' });
		const { result } = completeFrom(endpoint, [body], { type: 'application/json' });

		expect(await catchError(result)).toMatchObject({
			code: 'unreadable_response',
			message: 'The gateway answered without text: Not today.',
			hint: 'Correct what it names, or run it again later.',
		});
	});

	it('is asked for in one piece where no stream is wanted', async () => {
		const { result, heard, requests } = completeFrom(endpoint, [whole], { isStream: false });

		expect((await result).texts).toEqual(['Hello']);
		expect(heard).toEqual(['Hello']);
		expect(requests[0]!.headers.accept).toBe('application/json');
		expect(requests[0]!.body).not.toHaveProperty('stream');
	});
});

it('asks an endpoint that does not stream in one piece', async () => {
	const whole = { candidates: [{ content: { parts: [{ text: 'Hello' }] } }] };
	const { result, heard, requests } = completeFrom('generateContent', [JSON.stringify(whole)]);

	expect((await result).texts).toEqual(['Hello']);
	expect(heard).toEqual(['Hello']);
	expect(requests[0]!.headers.accept).toBe('application/json');
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
