import type { ByteStream } from '../../../nodes/gateway/context';
import { textAdapters } from '../../../nodes/gateway/text';
import { completeText } from '../../../nodes/gateway/text/complete';
import { catchError } from '../../support/gatewayClient';
import {
	completeFrom,
	EVENTS,
	SILENCE_MS,
	STREAM_CASES,
	STREAM_ENDPOINTS,
	TIMEOUT_MS,
	toEvent,
} from '../../support/streamedAnswer';
import { createBody, createVirtualGateway, ok } from '../../support/virtualGateway';

describe.each(STREAM_ENDPOINTS)('the time of a stream of %s', (endpoint) => {
	const { pieces, end, reply } = STREAM_CASES[endpoint];
	const whole = JSON.stringify(reply);

	it('ends at its end marker, though the connection stays open', async () => {
		const { result, elapsed, bodies } = completeFrom(endpoint, [...pieces, end, 'stall']);

		expect((await result).texts).toEqual(['Hello']);
		expect(elapsed()).toBe(0);
		expect(bodies[0]!.isDestroyed()).toBe(true);
	});

	it('ends after the time for an answer before its first byte', async () => {
		const { result, elapsed } = completeFrom(endpoint, ['stall']);

		expect(await catchError(result)).toMatchObject({
			code: 'timeout',
			details: { may_have_executed: true },
		});
		expect(elapsed()).toBe(TIMEOUT_MS);
	});

	it('may think for longer than the silence before it begins, and say that it is alive', async () => {
		const alive = Array.from({ length: 70 }, () => [1_000, ': keep-alive\n\n']).flat();
		const { result } = completeFrom(endpoint, [...alive, ...pieces, end]);

		expect((await result).texts).toEqual(['Hello']);
	});

	it('may have events for longer than the time for an answer before it begins', async () => {
		const thinking = Array.from({ length: 70 }, () => [20_000, toEvent({ type: 'ping' })]).flat();
		const { result } = completeFrom(endpoint, [...thinking, ...pieces, end]);

		expect((await result).texts).toEqual(['Hello']);
	});

	it('is not waited for once the answer is whole, though the connection stays open', async () => {
		const isWhole = endpoint === 'chat';
		const { result, elapsed } = completeFrom(endpoint, [
			...pieces,
			...(isWhole ? [] : [end]),
			'stall',
		]);

		expect((await result).texts).toEqual(['Hello']);
		expect(elapsed()).toBe(isWhole ? 5_000 : 0);
	});

	it.each([
		['comments', ': keep-alive\n\n'],
		['empty lines', '\n'],
		['events without data', 'event: ping\n\n'],
	])(
		'ends after silence that only %s interrupt, and closes the connection',
		async (_name, alive) => {
			const { result, elapsed, bodies } = completeFrom(endpoint, [
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
		const { result, elapsed, bodies } = completeFrom(endpoint, [pieces[0]!, ...steps]);
		const error = await catchError(result);

		expect(error.code).toBe('text_interrupted');
		expect(error.message).toContain('for more than an hour');
		expect(elapsed()).toBe(3_600_000);
		expect(bodies[0]!.isDestroyed()).toBe(true);
	});

	it('ends at once when the user stops the execution, and closes the connection', async () => {
		const user = new AbortController();
		const { result, clock, elapsed, bodies } = completeFrom(endpoint, [...pieces, 'stall'], {
			signal: user.signal,
		});
		clock.after(700, () => user.abort());

		expect(await catchError(result)).toMatchObject({
			code: 'stopped',
			hint: 'The rest of the answer was not read.',
		});
		expect(elapsed()).toBe(700);
		expect(bodies[0]!.isDestroyed()).toBe(true);
	});

	it('is not asked for after a stop', async () => {
		const user = new AbortController();
		user.abort();
		const { result } = completeFrom(endpoint, pieces, { signal: user.signal });

		expect(await catchError(result)).toMatchObject({
			code: 'stopped',
			hint: 'Nothing was sent and nothing was billed.',
		});
	});

	it('as a whole answer ends after the time for an answer', async () => {
		const { result, elapsed } = completeFrom(endpoint, [whole.slice(0, 9), 'stall'], {
			type: 'application/json',
		});

		expect(await catchError(result)).toMatchObject({ code: 'timeout' });
		expect(elapsed()).toBe(TIMEOUT_MS);
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
