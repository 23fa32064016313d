import { delay } from '../../nodes/gateway/delay';
import { systemClock } from '../../nodes/n8n/systemClock';

const countTimers = () =>
	process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
const waitMs = async (ms: number) => await new Promise((resolve) => void setTimeout(resolve, ms));
/** Longer than the process is kept at a time. */
const KEPT_MS = 700;

describe('a delay', () => {
	it('takes its time', async () => {
		const startedAt = Date.now();
		await delay(systemClock, 700, new AbortController().signal);
		expect(Date.now() - startedAt).toBeGreaterThanOrEqual(699);
	});

	it('ends at its own time among many', async () => {
		const startedAt = performance.now();
		const late = await Promise.all(
			Array.from({ length: 500 }, async (_, index) => {
				const ms = (index * 37) % 300;
				await delay(systemClock, ms);
				return performance.now() - startedAt - ms;
			}),
		);
		expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
	});

	it('keeps the process, and leaves no timer behind when the user stops the execution', async () => {
		await waitMs(KEPT_MS);
		const before = countTimers();
		const user = new AbortController();
		const waiting = delay(systemClock, 60_000, user.signal);
		expect(countTimers()).toBeGreaterThan(before);
		user.abort();
		await expect(waiting).rejects.toMatchObject({ code: 'stopped' });

		await waitMs(KEPT_MS);
		expect(countTimers()).toBeLessThanOrEqual(before);
	});

	it('that was waited for does not keep the process any more', async () => {
		await delay(systemClock, 5);
		await waitMs(KEPT_MS);
		const before = countTimers();
		await delay(systemClock, 5);
		await waitMs(KEPT_MS);
		expect(countTimers()).toBeLessThanOrEqual(before);
	});
});

it('does not keep the process for a callback that may be left out', async () => {
	await waitMs(KEPT_MS);
	const before = countTimers();
	const cancel = systemClock.after(60_000, () => undefined);
	expect(countTimers()).toBe(before);
	cancel();
});

it.each([
	['back', -60_000],
	['ahead', 3_600_000],
])('goes on as before when the clock of the machine is set %s', (_name, ms) => {
	const before = systemClock.now();
	const set = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + ms);
	const passed = systemClock.now() - before;
	set.mockRestore();

	expect(passed).toBeGreaterThanOrEqual(0);
	expect(passed).toBeLessThan(1_000);
});
