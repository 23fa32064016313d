import { buildIfChanged } from '../build';
import { runCommand } from '../commandLine';
import { runBodyPhase } from './bodies/phase';
import { formatCommand, OPTIONS, readOptions, USAGE, type CampaignOptions } from './options';
import { runEnginePhase } from './engine/phase';
import { runHostPhase } from './host/phase';
import { BATCH } from './host/sending';
import { writePage } from './page';
import type { Report } from './report';
import { formatNotes, formatViolations, formatFaults, formatSummary } from './summary';

/** At least a fifth of the calls must meet a fault; few hang until the timeout. */
const FAULT_RATES = { faultShare: 0.27, silentShare: 0.0008 };

/** Ten executions at a time. */
const SOAK_ROWS = 10 * BATCH;

/**
 * Thousands of tasks under random faults, then the sandbox's tasks compared with what came out of the
 * workflows. Ends with 1 on any finding, naming the seed and the first rows.
 */
async function runCampaign(options: CampaignOptions): Promise<void> {
	await buildIfChanged();
	const { seed, tasks, host, bodies, soak, docs } = options;
	console.log(`Campaign with seed ${seed}; repeat with: ${formatCommand(options)} --no-docs\n`);
	const phases: [boolean, () => Promise<Report>][] = [
		[tasks > 0, async () => await runEnginePhase({ seed, tasks, faultRates: FAULT_RATES })],
		[host > 0, async () => await runHostPhase({ seed, rows: host, kills: 3 })],
		[bodies > 0, async () => await runBodyPhase({ seed, bodiesPerModel: bodies })],
		[soak > 0, async () => await runHostPhase({ seed, rows: SOAK_ROWS, kills: 0, minutes: soak })],
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
	console.log(`\n${formatSummary(reports)}\n\nFaults: ${formatFaults(reports)}`);
	for (const line of formatNotes(reports)) console.log(line);
	const found = formatViolations(reports);
	for (const line of found) console.log(line);
	if (found.length) console.log(`\nReplay with: ${formatCommand(options)} --no-docs`);
	process.exitCode = found.length ? 1 : 0;
	if (docs && !found.length) await writePage(options, reports);
}

runCommand({
	usage: USAGE,
	options: OPTIONS,
	run: async (flags) => await runCampaign(readOptions(flags)),
});
