import { bodyPhase } from '../../scripts/campaign/bodies/phase';
import { enginePhase } from '../../scripts/campaign/engine/phase';
import { struck, type Report } from '../../scripts/campaign/report';
import { offences } from '../../scripts/campaign/summary';

/** The short form of `npm run campaign`; the long one has thousands of tasks and a real n8n. */
const SEED = 7;
const shareOf = (report: Report) => struck(report) / report.calls;

describe('a campaign through the engine', () => {
	it('brings every task home once, though more than a fifth of the calls are struck', async () => {
		const report = await enginePhase({
			seed: SEED,
			tasks: 300,
			force: { share: 0.28, silence: 0 },
		});

		expect(offences([report])).toEqual([]);
		expect(report.rows).toBe(300);
		expect(report.tasks).toBeGreaterThanOrEqual(300);
		expect(shareOf(report)).toBeGreaterThanOrEqual(0.2);
		expect(Object.keys(report.strikes).sort()).toEqual([
			'403',
			'429',
			'500',
			'502',
			'broken-json',
			'hang',
			'reset-after',
			'reset-before',
			'reset-midway',
			'slow-body',
		]);
	}, 90_000);

	it('answers any body of any model with a task or a message', async () => {
		const report = await bodyPhase({ seed: SEED, each: 15 });

		expect(offences([report])).toEqual([]);
		expect(report.rows).toBe(report.notes.bodies);
		expect(Number(report.notes['became tasks'])).toBeGreaterThan(200);
		expect(Number(report.notes['became messages'])).toBeGreaterThan(400);
	}, 90_000);
});
