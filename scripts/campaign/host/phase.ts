import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSandbox } from '../../../sandbox';
import { startCollector } from '../../host/collector';
import { versionOf, type HostVersion } from '../../host/versions';
import { accountBy, LeakWatch } from '../account';
import { audit, bringHome } from '../audit';
import { chanceBy } from '../random';
import { endingOf, isHome } from '../rowResult';
import { fatesBy } from '../taskOutcomes';
import { strikesOn, type Report } from '../report';
import { createFaultInjection } from '../faultInjection';
import { ENDLESS, Forger } from './callbackForger';
import { CampaignHost } from './campaignHost';
import { BATCH, quiet, sendAll, type HostRow } from './sending';
import type { Arrival } from './workflows';

export interface HostDemand {
	seed: number;
	rows: number;
	/** How often n8n is killed with -9 while rows are under way. */
	kills: number;
	/** The n8n to run it in, the newest unless given. */
	version?: HostVersion;
}

const MODELS = [
	'imgn-4.0',
	'gx-imagine-image',
	'gmn-2.5-flash-image-preview',
	'gp-4o-image',
	'clipk-v2.6',
];
const MOST_ROUNDS = 5;

/** Rows through a real n8n: parked executions and the trigger, callbacks of all kinds, forgeries, and kills. */
export async function hostPhase({
	seed,
	rows: size,
	kills,
	version = versionOf('newest'),
}: HostDemand): Promise<Report> {
	const [chance, account, began] = [chanceBy(seed), accountBy(seed), Date.now()];
	const folder = await mkdtemp(path.join(tmpdir(), 'campaign-'));
	const watch = new LeakWatch(account);
	const fates = fatesBy(chance, { failing: 0.06, usual: [300, 3_000], slow: [4_000, 9_000] });
	const sandbox = await startSandbox({
		...account.settings,
		...fates,
		taskMs: (body) =>
			String(body.prompt).startsWith(ENDLESS)
				? Infinity
				: (fates.taskMs as (body: object) => number)(body),
		callbackRetry: { attempts: 4, delayMs: 600, timeoutMs: 10_000 },
	});
	sandbox.faults.injection = createFaultInjection(sandbox, chance, account.key, {
		share: 0.25,
		silence: 0,
	});
	const rows = Array.from({ length: size }, (_, at): HostRow => {
		const name = `${at % 3 ? 'row' : '产品'} ${at}`;
		return {
			name,
			by: Math.floor(at / BATCH) % 2 ? 'send' : 'park',
			model: chance.pick(MODELS, 'model', name),
			body: { prompt: name },
		};
	});
	const byName = new Map(rows.map((row) => [row.name, row]));
	const take = ({ item, from }: Arrival) => {
		watch.look(`item of ${from}`, item);
		const ending = endingOf({ json: item });
		const row = byName.get(String(sandbox.task(ending.taskId ?? '')?.body.prompt));
		if (row && from !== 'woken') bringHome(row, ending);
	};
	const collector = await startCollector<Arrival>(take);
	let host: CampaignHost | undefined;
	try {
		host = await CampaignHost.start(version, folder, sandbox.url, collector.url, account, watch);
		const forger = new Forger(sandbox, account, host.addresses, collector.received);
		let again = 0;
		for (let round = 1; round <= MOST_ROUNDS; round += 1) {
			const open = rows.filter(({ ending }) => !isHome(ending));
			if (!open.length) break;
			if (round === 2) again = open.length;
			await sendAll(host, forger, open, round === 1 ? kills : 0);
			await quiet(host, collector);
			await forger.round();
		}
		const ledger = sandbox.tasks().filter(({ body }) => byName.has(String(body.prompt)));
		await host.stop(watch);
		watch.lookAt(sandbox);
		const forged = forger.found(host.kills);
		return {
			name: 'a real n8n',
			rows: rows.length,
			tasks: ledger.length,
			...strikesOn(sandbox),
			again,
			forgeries: forger.sent,
			seconds: (Date.now() - began) / 1000,
			findings: audit({ rows, ledger, forged, leaks: watch.found }),
			notes: {
				'killed with -9': host.kills.length,
				'run again for a task noted too late before a kill': forger.unnoted,
				...callbackNotes(ledger),
			},
		};
	} finally {
		await host?.stop(watch).catch(() => undefined);
		await Promise.all([sandbox.close(), collector.close()]);
		await rm(folder, { recursive: true, force: true });
	}
}

/** How many of the callbacks went each way. */
function callbackNotes(
	ledger: readonly { callbacks: number; deliveries: readonly { status?: number }[] }[],
): Record<string, number> {
	const deliveries = ledger.flatMap((entry) => entry.deliveries);
	return {
		'tasks never called back': ledger.filter(({ callbacks }) => callbacks === 0).length,
		'callbacks sent': ledger.reduce((sum, { callbacks }) => sum + callbacks, 0),
		'not answered with 2xx': deliveries.filter(
			({ status }) => status === undefined || status >= 300,
		).length,
	};
}
