import { startSandbox } from '../../../sandbox';
import { packageWith } from '../../package';
import { accountBy, LeakWatch } from '../account';
import { audit } from '../audit';
import { chanceBy } from '../random';
import { fatesBy } from '../taskOutcomes';
import { createFaultInjection, type Force } from '../faultInjection';
import { strikesOn, type Report } from '../report';
import { runToTheEnd } from './rounds';
import { wavesBy } from './batches';

/** Waves under way at once. */
const LANES = 10;

export interface EngineDemand {
	seed: number;
	tasks: number;
	force: Force;
}

/** Waves of tasks through n8n's own engine, over real HTTP, in a storm. */
export async function enginePhase({ seed, tasks, force }: EngineDemand): Promise<Report> {
	const [chance, account, began] = [chanceBy(seed), accountBy(seed), Date.now()];
	const sandbox = await startSandbox({
		...account.settings,
		...fatesBy(chance, { failing: 0.06, usual: [10, 500], slow: [1_200, 2_000] }),
	});
	const watch = new LeakWatch(account);
	try {
		sandbox.faults.injection = createFaultInjection(sandbox, chance, account.key, force);
		const waves = wavesBy(chance, tasks);
		const engine = packageWith(sandbox.url, account.key);
		const waiting = [...waves];
		const lane = async () => {
			const done = [];
			for (let wave = waiting.shift(); wave; wave = waiting.shift())
				done.push(await runToTheEnd(wave, engine, watch));
			return done;
		};
		const rounds = (await Promise.all(Array.from({ length: LANES }, lane))).flat();
		watch.lookAt(sandbox);
		const rows = waves.flatMap((wave) => wave.rows);
		return {
			name: "n8n's engine",
			rows: rows.length,
			tasks: sandbox.tasks().length,
			...strikesOn(sandbox),
			again: rounds.reduce((sum, { again }) => sum + again, 0),
			forgeries: 0,
			seconds: (Date.now() - began) / 1000,
			findings: audit({ rows, ledger: sandbox.tasks(), forged: [], leaks: watch.found }),
			stuck: rounds.flatMap(({ stuck }) => stuck),
			notes: {},
		};
	} finally {
		await sandbox.close();
	}
}
