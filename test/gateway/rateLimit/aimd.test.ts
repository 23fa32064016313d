import { Aimd } from '../../../nodes/gateway/rateLimit/aimd';

describe('AIMD', () => {
	it('is not held back by requests that get no answer', () => {
		const aimd = new Aimd(2);
		aimd.start('submits', 0);
		aimd.start('submits', 500);

		expect(aimd.opensAt('submits', 1_000)).toBe(2_000);
		expect(aimd.opensAt('submits', 2_000)).toBe(2_000);
		aimd.start('submits', 2_000);
		expect(aimd.opensAt('submits', 2_000)).toBe(2_500);
	});

	it('delays by a second at most, however many requests are refused together', () => {
		const aimd = new Aimd(10);
		const ends = Array.from({ length: 10 }, () => aimd.start('submits', 0));
		for (const end of ends) end(429, 100);

		expect(aimd.opensAt('submits', 100)).toBeLessThanOrEqual(1_100);
	});
});
