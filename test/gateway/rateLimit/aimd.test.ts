import { Aimd } from '../../../nodes/gateway/rateLimit/aimd';

describe('AIMD', () => {
	it('is not held back by requests that get no answer', () => {
		const aimd = new Aimd(2);
		aimd.start(0);
		aimd.start(500);

		expect(aimd.opensAt(1_000)).toBe(2_000);
		expect(aimd.opensAt(2_000)).toBe(2_000);
		aimd.start(2_000);
		expect(aimd.opensAt(2_000)).toBe(2_500);
	});

	it('does not count the time in which nobody asked, from its beginning', () => {
		const aimd = new Aimd(2, 1_000);
		aimd.start(1_500, true);
		expect(aimd.beganAt).toBe(1_500);
		aimd.start(1_600);
		aimd.start(9_600, true);
		expect(aimd.beganAt).toBe(9_500);
	});

	it('delays by a second at most, however many requests are refused together', () => {
		const aimd = new Aimd(10);
		const ends = Array.from({ length: 10 }, () => aimd.start(0));
		for (const end of ends) end(429, 100);

		expect(aimd.opensAt(100)).toBeLessThanOrEqual(1_100);
	});
});
