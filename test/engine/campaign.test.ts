import { runBodyPhase } from '../../scripts/campaign/bodies/phase';
import { runEnginePhase } from '../../scripts/campaign/engine/phase';
import { totalFaults, type Report } from '../../scripts/campaign/report';
import { formatViolations } from '../../scripts/campaign/summary';

/** The short form of `npm run campaign`; the long one has thousands of tasks and a real n8n. */
const SEED = 7;
const shareOf = (report: Report) => totalFaults(report) / report.calls;

describe('a campaign through the engine', () => {
	it('returns every task once, though more than a fifth of the requests fail', async () => {
		const report = await runEnginePhase({
			seed: SEED,
			tasks: 300,
			faultRates: { faultShare: 0.28, silentShare: 0 },
		});

		expect(formatViolations([report])).toEqual([]);
		expect(report.rows).toBe(300);
		expect(report.tasks).toBeGreaterThanOrEqual(300);
		expect(shareOf(report)).toBeGreaterThanOrEqual(0.2);
		expect(Object.keys(report.faults).sort()).toEqual([
			'403',
			'429',
			'500',
			'502',
			'broken-json',
			'hang',
			'rate limit',
			'reset-after',
			'reset-before',
			'reset-midway',
			'silent-body',
			'silent-midway',
			'slow-body',
		]);
	}, 600_000);

	it('answers any body of any model with a task or a message', async () => {
		const report = await runBodyPhase({ seed: SEED, bodiesPerModel: 15 });

		expect(formatViolations([report])).toEqual([]);
		expect(report.rows).toBe(report.notes.bodies);
		expect(Number(report.notes['became tasks'])).toBeGreaterThan(200);
		expect(Number(report.notes['became messages'])).toBeGreaterThan(400);
	}, 600_000);
});
