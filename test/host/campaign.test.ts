import { runHostPhase } from '../../scripts/campaign/host/phase';
import { totalFaults } from '../../scripts/campaign/report';
import { formatViolations } from '../../scripts/campaign/summary';
import { hostsOr } from '../support/hosts';

/** The short form of the campaign in a real n8n; `npm run campaign` has hundreds of rows and more kills. */
describe.each(hostsOr('newest'))('a campaign in n8n $n8n', (version) => {
	it('finishes every row once, over a kill with -9, and accepts no forged callback', async () => {
		const report = await runHostPhase({ seed: 7, rows: 45, kills: 1, version });

		expect(formatViolations([report])).toEqual([]);
		expect(report.rows).toBe(45);
		expect(totalFaults(report) / report.calls).toBeGreaterThanOrEqual(0.2);
		expect(report.forgeries).toBeGreaterThanOrEqual(10);
		expect(Number(report.notes['tasks never called back'])).toBeGreaterThan(0);
	});
});
