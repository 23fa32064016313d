import { onAbort } from '../../nodes/gateway/abort';
import { readStream } from '../../nodes/gateway/byteStream';
import { delay, raceAbort, withTimeout } from '../../nodes/gateway/delay';
import { catchError } from '../support/gatewayClient';
import { VirtualClock } from '../support/virtualClock';
import { createBody } from '../support/virtualGateway';

let clock: VirtualClock;
let startedAt: number;
let user: AbortController;
beforeEach(() => {
	clock = new VirtualClock();
	startedAt = clock.now();
	user = new AbortController();
});
const elapsed = () => clock.now() - startedAt;
const never = new Promise<never>(() => undefined);

describe('a delay', () => {
	it('takes its time, with and without a signal', async () => {
		await clock.run(delay({ clock }, 3_000));
		await clock.run(delay({ clock, signal: user.signal }, 2_000));

		expect(elapsed()).toBe(5_000);
	});

	it('ends at once when the user stops the execution', async () => {
		clock.after(700, () => user.abort());

		expect(
			await clock.run(catchError(delay({ clock, signal: user.signal }, 60_000))),
		).toMatchObject({
			code: 'stopped',
		});
		expect(elapsed()).toBe(700);
		expect(await catchError(delay({ clock, signal: user.signal }, 60_000))).toMatchObject({
			code: 'stopped',
		});
	});
});

describe('work until a stop', () => {
	it('gives its result or its error', async () => {
		expect(await raceAbort(Promise.resolve(1), undefined)).toBe(1);
		expect(await raceAbort(Promise.resolve(2), user.signal)).toBe(2);
		await expect(raceAbort(Promise.reject(new Error('No')), user.signal)).rejects.toThrow('No');
	});

	it('is given up at once', async () => {
		clock.after(700, () => user.abort());

		expect(await clock.run(catchError(raceAbort(never, user.signal)))).toMatchObject({
			code: 'stopped',
		});
		expect(elapsed()).toBe(700);
		expect(await catchError(raceAbort(never, user.signal))).toMatchObject({ code: 'stopped' });
	});

	it('leaves no listener behind', async () => {
		const onAbortEvent = jest.spyOn(user.signal, 'addEventListener');
		for (let count = 0; count < 100; count += 1)
			await raceAbort(Promise.resolve(count), user.signal);
		await clock.run(delay({ clock, signal: user.signal }, 10));

		expect(onAbortEvent).toHaveBeenCalledTimes(1);
	});
});

describe('a stop', () => {
	it('calls back everybody once who still listens, in order', () => {
		const called: string[] = [];
		onAbort(user.signal, () => called.push('first'));
		const forget = onAbort(user.signal, () => called.push('forgotten'));
		onAbort(user.signal, () => called.push('last'));
		forget();
		user.abort();
		user.abort();

		expect(called).toEqual(['first', 'last']);
	});

	it('takes the same callback as often as it was given', () => {
		const callback = jest.fn();
		const forget = onAbort(user.signal, callback);
		onAbort(user.signal, callback);
		forget();
		user.abort();

		expect(callback).toHaveBeenCalledTimes(1);
	});

	it('cannot come where there is no signal', () => {
		expect(onAbort(undefined, () => undefined)()).toBeUndefined();
	});
});

describe('work with a timeout', () => {
	it('gives its result where it is in time, and leaves no timer behind', async () => {
		const createError = jest.fn();

		expect(
			await clock.run(withTimeout(clock, 1_000, clock.sleep(900), createError)),
		).toBeUndefined();
		await expect(clock.run(never)).rejects.toThrow('Nothing is left to wait for');
		expect(createError).not.toHaveBeenCalled();
	});

	it('gives its error where it is in time', async () => {
		await expect(
			withTimeout(clock, 1_000, Promise.reject(new Error('No')), () => new Error('late')),
		).rejects.toThrow('No');
	});

	it('rejects once the time is up', async () => {
		const late = withTimeout(clock, 1_000, never, () => new Error('too late'));
		await expect(clock.run(late)).rejects.toThrow('too late');
		expect(elapsed()).toBe(1_000);
	});
});

describe('a stream with a limit on silence', () => {
	const read = async (steps: Parameters<typeof createBody>[1], limitMs = 1_000) => {
		const body = createBody(clock, steps);
		const pieces: string[] = [];
		const limited = readStream(clock, body.stream, {
			getSilenceMs: () => limitMs,
			onSilence: () => new Error('silent'),
		});
		const reading = (async () => {
			for await (const piece of limited) pieces.push(new TextDecoder().decode(piece));
		})();
		const error = await clock.run(
			reading.then(
				() => undefined,
				(reason: Error) => reason.message,
			),
		);
		return { pieces, error, isDestroyed: body.isDestroyed() };
	};

	it('is read to its end however long it takes, as long as it keeps coming', async () => {
		expect(await read(['a', 900, 'b', 900, 'c', 900])).toEqual({
			pieces: ['a', 'b', 'c'],
			error: undefined,
			isDestroyed: false,
		});
		expect(elapsed()).toBe(2_700);
		await expect(clock.run(never)).rejects.toThrow('Nothing is left to wait for');
	});

	it.each([
		['before the first byte', ['stall'], [], 1_000],
		['in the middle', ['a', 700, 'b', 'stall', 'c'], ['a', 'b'], 1_700],
		['after the last byte', ['a', 'b', 'stall'], ['a', 'b'], 1_000],
		['for longer than the limit', ['a', 1_001, 'b'], ['a'], 1_000],
	] as const)(
		'ends when it stalls %s, and closes the connection',
		async (_name, steps, pieces, ms) => {
			expect(await read(steps)).toEqual({ pieces, error: 'silent', isDestroyed: true });
			expect(elapsed()).toBe(ms);
		},
	);

	it('throws what the stream throws', async () => {
		expect(await read(['a', new Error('reset')])).toMatchObject({ pieces: ['a'], error: 'reset' });
	});

	it('closes the connection and the timer when its reader stops early', async () => {
		const body = createBody(clock, ['a', 'b', 'stall']);
		for await (const piece of readStream(clock, body.stream, {
			getSilenceMs: () => 1_000,
			onSilence: () => new Error('silent'),
		}))
			if (piece) break;

		expect(body.isDestroyed()).toBe(true);
		await expect(clock.run(never)).rejects.toThrow('Nothing is left to wait for');
	});
});
