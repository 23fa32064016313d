import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSandbox } from '../../../sandbox';
import { startCollector } from '../../host/collector';
import { getVersion, type HostVersion } from '../../host/versions';
import { createAccount, LeakDetector } from '../account';
import { audit, recordResult } from '../audit';
import { createSeededRandom } from '../random';
import { readRowResult, isFinal } from '../rowResult';
import { createTaskOutcomes } from '../taskOutcomes';
import { countFaults, type Report } from '../report';
import { createFaultInjection } from '../faultInjection';
import { NEVER_ENDS, CallbackForger } from './callbackForger';
import { CampaignHost } from './campaignHost';
import { Levels } from './levels';
import { BATCH, waitUntilIdle, sendAll, type HostRow } from './sending';
import type { Arrival } from './workflows';

export interface HostPhaseOptions {
	seed: number;
	rows: number;
	/** How often n8n is killed with -9 while rows are under way. */
	kills: number;
	/** The n8n to run it in, the newest unless given. */
	version?: HostVersion;
	/** A soak: as many rows again and again for this time, with a look at what n8n's process holds. */
	minutes?: number;
}

const MODELS = [
	'imgn-4.0',
	'gx-imagine-image',
	'gmn-2.5-flash-image-preview',
	'gp-4o-image',
	'clipk-v2.6',
];
const MOST_ROUNDS = 5;

/** Rows through a real n8n: suspended executions and the trigger, callbacks of all kinds, forged callbacks, and kills. */
export async function runHostPhase({
	seed,
	rows: size,
	kills,
	version = getVersion('newest'),
	minutes = 0,
}: HostPhaseOptions): Promise<Report> {
	const [random, account, began] = [createSeededRandom(seed), createAccount(seed), Date.now()];
	const folder = await mkdtemp(path.join(tmpdir(), 'campaign-'));
	const watch = new LeakDetector(account);
	const outcomes = createTaskOutcomes(random, {
		failureShare: 0.06,
		// Many end between the last poll and the moment at which n8n has saved the suspended execution.
		usualMs: [40, 1_400],
		slowMs: [4_000, 9_000],
	});
	const sandbox = await startSandbox({
		...account.settings,
		...outcomes,
		taskMs: (body) =>
			String(body.prompt).startsWith(NEVER_ENDS)
				? Infinity
				: (outcomes.taskMs as (body: object) => number)(body),
		callbackRetry: { attempts: 4, delayMs: 600, timeoutMs: 10_000 },
	});
	sandbox.faults.injection = createFaultInjection(sandbox, random, account.key, {
		faultShare: 0.25,
		silentShare: 0,
	});
	const rows: HostRow[] = [];
	const byName = new Map<string, HostRow>();
	const addRows = () => {
		const added = Array.from({ length: size }, (_, more): HostRow => {
			const at = rows.length + more;
			const name = `${at % 3 ? 'row' : '产品'} ${at}`;
			return {
				name,
				route: Math.floor(at / BATCH) % 2 ? 'send' : 'suspend',
				model: random.pick(MODELS, 'model', name),
				body: { prompt: name },
			};
		});
		rows.push(...added);
		for (const row of added) byName.set(row.name, row);
		return added;
	};
	const receive = ({ item, from }: Arrival) => {
		watch.scan(`item of ${from}`, item);
		const result = readRowResult({ json: item });
		const row = byName.get(String(sandbox.task(result.taskId ?? '')?.body.prompt));
		if (row && from !== 'resumed') recordResult(row, result);
	};
	const collector = await startCollector<Arrival>(receive);
	const levels = minutes ? await Levels.create(folder) : undefined;
	let host: CampaignHost | undefined;
	try {
		const gateway = { url: sandbox.url, collector: collector.url };
		host = await CampaignHost.start(version, folder, gateway, account, watch, levels);
		const forger = new CallbackForger(sandbox, account, host.addresses, collector.received);
		let retriedRows = 0;
		do {
			const added = addRows();
			for (let round = 1; round <= MOST_ROUNDS; round += 1) {
				const open = added.filter(({ result }) => !isFinal(result));
				if (!open.length) break;
				if (round === 2) retriedRows += open.length;
				await sendAll(host, forger, open, round === 1 ? kills : 0, sandbox);
				await waitUntilIdle(host, collector);
				await forger.sendRound();
			}
			levels?.sample(await host.staticBytes());
		} while (Date.now() < began + minutes * 60_000);
		const tasks = sandbox.tasks().filter(({ body }) => byName.has(String(body.prompt)));
		await host.stop(watch);
		watch.scanSandbox(sandbox);
		const forgedRuns = forger.findForgedRuns(host.kills);
		return {
			name: levels ? `a soak of ${minutes} minutes` : 'a real n8n',
			rows: rows.length,
			tasks: tasks.length,
			...countFaults(sandbox),
			retriedRows,
			forgeries: forger.sent,
			seconds: (Date.now() - began) / 1000,
			findings: audit({ rows, tasks, forgedRuns, leaks: watch.found }),
			...(levels && { stuck: levels.findGrowth() }),
			notes: {
				'killed with -9': host.kills.length,
				'run again because of a kill before the first run was recorded': forger.unrecorded,
				...createCallbackNotes(tasks),
				...levels?.format(),
			},
		};
	} finally {
		await host?.stop(watch).catch(() => undefined);
		await Promise.all([sandbox.close(), collector.close()]);
		await rm(folder, { recursive: true, force: true });
	}
}

/** How many of the callbacks went each way. */
function createCallbackNotes(
	tasks: readonly { callbacks: number; deliveries: readonly { status?: number }[] }[],
): Record<string, number> {
	const deliveries = tasks.flatMap((task) => task.deliveries);
	return {
		'tasks never called back': tasks.filter(({ callbacks }) => callbacks === 0).length,
		'callbacks sent': tasks.reduce((sum, { callbacks }) => sum + callbacks, 0),
		'not answered with 2xx': deliveries.filter(
			({ status }) => status === undefined || status >= 300,
		).length,
	};
}
