import { bodyPhase } from './bodies/phase';
import { commandOf, demandOf } from './options';
import { enginePhase } from './engine/phase';
import { hostPhase } from './host/phase';
import { writePage } from './page';
import type { Report } from './report';
import { notesInWords, offences, strikesInWords, summaryTable } from './summary';

/** Of the calls to the engine's gateway: more than the fifth that must be struck, and few that hang to the end. */
const FORCE = { share: 0.27, silence: 0.0008 };

/**
 * Thousands of tasks under random faults, then the sandbox's ledger against what came out of the
 * workflows. Ends with 1 on any finding, naming the seed and the first rows.
 */
async function main(): Promise<void> {
	const demand = demandOf(process.argv.slice(2));
	const { seed, tasks, host, bodies, docs } = demand;
	console.log(`Campaign with seed ${seed}; again with: ${commandOf(demand)} --no-docs\n`);
	const phases: [boolean, () => Promise<Report>][] = [
		[tasks > 0, async () => await enginePhase({ seed, tasks, force: FORCE })],
		[host > 0, async () => await hostPhase({ seed, rows: host, kills: 3 })],
		[bodies > 0, async () => await bodyPhase({ seed, each: bodies })],
	];
	const reports: Report[] = [];
	for (const [isWanted, phase] of phases) {
		if (!isWanted) continue;
		const report = await phase();
		reports.push(report);
		console.log(
			`${report.name}: ${report.rows} rows, ${report.calls} calls, ${Math.round(report.seconds)} s`,
		);
	}
	console.log(`\n${summaryTable(reports)}\n\nFaults: ${strikesInWords(reports)}`);
	for (const line of notesInWords(reports)) console.log(line);
	const found = offences(reports);
	for (const line of found) console.log(line);
	if (found.length) console.log(`\nReplay with: ${commandOf(demand)} --no-docs`);
	process.exitCode = found.length ? 1 : 0;
	if (docs && !found.length) await writePage(demand, reports);
}

main().catch((reason: unknown) => {
	console.error(reason);
	process.exitCode = 1;
});
