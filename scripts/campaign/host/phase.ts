import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox } from '../../../sandbox';
import { accountBy, LeakWatch } from '../account';
import { audit, bringHome, type Row } from '../audit';
import { chanceBy } from '../chance';
import { endingOf, isHome } from '../ending';
import { fatesBy } from '../fate';
import { strikesOn, type Report } from '../report';
import { stormOver } from '../storm';
import { startCollector, type Arrival } from './collector';
import { ENDLESS, Forger } from './forger';
import { CampaignHost } from './n8n';

export interface HostDemand {
  seed: number;
  rows: number;
  /** How often n8n is killed with -9 while rows are under way. */
  kills: number;
}

type HostRow = Row & { by: 'park' | 'send'; model: string; body: IDataObject };

const MODELS = ['imgn-4.0', 'gx-imagine-image', 'gmn-2.5-flash-image-preview', 'gp-4o-image', 'clipk-v2.6'];
const BATCH = 15;
const MOST_ROUNDS = 5;
const QUIET_MS = 4_000;
const PATIENCE_MS = 240_000;

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Rows through a real n8n: parked executions and the trigger, callbacks of all kinds, forgeries, and kills. */
export async function hostPhase({ seed, rows: size, kills }: HostDemand): Promise<Report> {
  const [chance, account, began] = [chanceBy(seed), accountBy(seed), Date.now()];
  const folder = await mkdtemp(path.join(tmpdir(), 'campaign-'));
  const watch = new LeakWatch(account);
  const fates = fatesBy(chance, { failing: 0.06, usual: [300, 3_000], slow: [4_000, 9_000] });
  const sandbox = await startSandbox({
    ...account.settings,
    ...fates,
    taskMs: (body) => (String(body.prompt).startsWith(ENDLESS) ? Infinity : (fates.taskMs as (body: object) => number)(body)),
    callbackRetry: { attempts: 4, delayMs: 600, timeoutMs: 10_000 },
  });
  sandbox.faults.weather = stormOver(sandbox, chance, account.key, { share: 0.25, silence: 0 });
  const rows = Array.from({ length: size }, (_, at): HostRow => {
    const name = `${at % 3 ? 'row' : '产品'} ${at}`;
    return { name, by: Math.floor(at / BATCH) % 2 ? 'send' : 'park', model: chance.pick(MODELS, 'model', name), body: { prompt: name } };
  });
  const byName = new Map(rows.map((row) => [row.name, row]));
  const take = ({ item, from }: Arrival) => {
    watch.look(`item of ${from}`, item);
    const ending = endingOf({ json: item });
    const row = byName.get(String(sandbox.task(ending.taskId ?? '')?.body.prompt));
    if (row && from !== 'woken') bringHome(row, ending);
  };
  const collector = await startCollector(take);
  let host: CampaignHost | undefined;
  try {
    host = await CampaignHost.start(folder, sandbox.url, collector.url, account, watch);
    const forger = new Forger(sandbox, account, host.addresses, collector.arrivals);
    let again = 0;
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      const open = rows.filter(({ ending }) => !isHome(ending));
      if (!open.length) break;
      if (round > 1) again += round === 2 ? open.length : 0;
      await sendAll(host, forger, open, round === 1 ? kills : 0);
      await quiet(host, collector.arrivals);
      await forger.round();
    }
    const ledger = sandbox.tasks().filter(({ body }) => byName.has(String(body.prompt)));
    await host.stop(watch);
    watch.lookAt(sandbox);
    return {
      name: 'a real n8n',
      rows: rows.length,
      tasks: ledger.length,
      ...strikesOn(sandbox),
      again,
      forgeries: forger.sent,
      seconds: (Date.now() - began) / 1000,
      findings: audit({ rows, ledger, forged: forger.found(), leaks: watch.found }),
      stuck: [],
      notes: { 'killed with -9': kills, ...callbackNotes(ledger) },
    };
  } finally {
    await host?.stop(watch).catch(() => undefined);
    await Promise.all([sandbox.close(), collector.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sends batches one after the other, each row under its own key, with kills and forgeries in between. */
async function sendAll(host: CampaignHost, forger: Forger, open: HostRow[], kills: number): Promise<void> {
  const known = open.filter(({ ending }) => ending?.taskId);
  const unknown = open.filter(({ ending }) => !ending?.taskId);
  const batches = (['park', 'send'] as const).flatMap((by) => {
    const of = unknown.filter((row) => row.by === by);
    return Array.from({ length: Math.ceil(of.length / BATCH) }, (_, at) => ({ by, rows: of.slice(at * BATCH, (at + 1) * BATCH) }));
  });
  batches.sort((a, b) => (a.rows[0]!.name < b.rows[0]!.name ? -1 : 1));
  if (known.length) await host.send('fetch', known.map(({ ending }) => ({ task_id: ending!.taskId })));
  const killAfter = new Set(Array.from({ length: kills }, (_, at) => Math.floor(((at + 1) * batches.length) / (kills + 1))));
  for (const [at, { by, rows }] of batches.entries()) {
    await host.send(by, rows.map(({ name, model, body }) => ({ name, model, body })));
    await after(300);
    if (at % 4 === 0) await forger.round();
    if (killAfter.has(at)) {
      await host.killAndStart();
      await forger.round();
    }
  }
}

/** Resolves when no execution is under way and nothing has arrived for a while, or when that takes too long. */
async function quiet(host: CampaignHost, arrivals: readonly Arrival[]): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    await after(1_500);
    const isStill = Date.now() - (arrivals.at(-1)?.at ?? 0) > QUIET_MS;
    if (isStill && (await host.unfinished()) === 0) return;
  }
}

/** How many of the callbacks went each way. */
function callbackNotes(ledger: readonly { callbacks: number; deliveries: readonly { status?: number }[] }[]): Record<string, number> {
  const deliveries = ledger.flatMap((entry) => entry.deliveries);
  return {
    'tasks never called back': ledger.filter(({ callbacks }) => callbacks === 0).length,
    'callbacks sent': ledger.reduce((sum, { callbacks }) => sum + callbacks, 0),
    'not answered with 2xx': deliveries.filter(({ status }) => status === undefined || status >= 300).length,
  };
}
