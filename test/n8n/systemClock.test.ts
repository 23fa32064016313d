import { delay } from '../../nodes/gateway/delay';
import { systemClock } from '../../nodes/n8n/gatewayContext';

const countTimers = () =>
	process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('a delay', () => {
	it('takes its time', async () => {
		const startedAt = Date.now();
		await delay(systemClock, 700, new AbortController().signal);
		expect(Date.now() - startedAt).toBeGreaterThanOrEqual(699);
	});

	it('leaves no timer behind when the user stops the execution', async () => {
		const before = countTimers();
		const user = new AbortController();
		const waiting = delay(systemClock, 60_000, user.signal);
		expect(countTimers()).toBeGreaterThan(before);
		user.abort();
		await expect(waiting).rejects.toMatchObject({ code: 'stopped' });

		await new Promise((resolve) => setTimeout(resolve, 800));
		expect(countTimers()).toBeLessThanOrEqual(before);
	});
});
