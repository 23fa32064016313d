import { startSandbox } from '../../../sandbox';
import { packageWith } from '../../package';
import { createAccount, LeakDetector } from '../account';
import { audit } from '../audit';
import { createSeededRandom } from '../random';
import { createTaskOutcomes } from '../taskOutcomes';
import { createFaultInjection, type FaultRates } from '../faultInjection';
import { countFaults, type Report } from '../report';
import { runUntilFinal } from './rounds';
import { createBatches } from './batches';

/** Batches that run at once. */
const CONCURRENCY = 10;

/** Less than what all batches together send on a machine that is busy with something else too. */
const SUBMISSION_LIMIT = { requests: 20, windowMs: 500 };

export interface EnginePhaseOptions {
	seed: number;
	tasks: number;
	faultRates: FaultRates;
}

/** Batches of tasks through n8n's own engine, over real HTTP, with injected faults. */
export async function runEnginePhase({
	seed,
	tasks,
	faultRates,
}: EnginePhaseOptions): Promise<Report> {
	const [random, account, began] = [createSeededRandom(seed), createAccount(seed), Date.now()];
	const stoppedRows = new Set<string>();
	const sandbox = await startSandbox({
		...account.settings,
		submissionLimit: SUBMISSION_LIMIT,
		...createTaskOutcomes(random, {
			failureShare: 0.06,
			usualMs: [10, 500],
			slowMs: [1_200, 2_000],
			wasStopped: (prompt) => stoppedRows.has(prompt),
		}),
	});
	const watch = new LeakDetector(account);
	try {
		sandbox.faults.injection = createFaultInjection(sandbox, random, account.key, faultRates);
		const batches = createBatches(random, tasks);
		const engine = packageWith(sandbox.url, account.key);
		const pending = [...batches];
		const runBatches = async () => {
			const done = [];
			for (let batch = pending.shift(); batch; batch = pending.shift())
				done.push(await runUntilFinal(batch, engine, watch, sandbox, stoppedRows));
			return done;
		};
		const rounds = (await Promise.all(Array.from({ length: CONCURRENCY }, runBatches))).flat();
		watch.scanSandbox(sandbox);
		const rows = batches.flatMap((batch) => batch.rows);
		return {
			name: "n8n's engine",
			rows: rows.length,
			tasks: sandbox.tasks().length,
			...countFaults(sandbox),
			retriedRows: rounds.reduce((sum, { retriedRows }) => sum + retriedRows, 0),
			forgeries: 0,
			seconds: (Date.now() - began) / 1000,
			findings: audit({ rows, tasks: sandbox.tasks(), forgedRuns: [], leaks: watch.found }),
			stuck: rounds.flatMap(({ stuck }) => stuck),
			notes: {},
		};
	} finally {
		await sandbox.close();
	}
}
