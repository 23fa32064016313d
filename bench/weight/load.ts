import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import type { InstalledHost } from '../../scripts/host/install';
import { run } from '../../scripts/processes';
import { median } from '../result';
import type { MeasuredPackage } from './contenders';

const FRESH = path.join(__dirname, 'fresh.mjs');
/** How often a panel is resolved in one process. */
const RESOLVED = 400;

/** What resolving a panel takes: in the first rounds, and once the engine has compiled everything. */
const TIMES = ['parametersMs', 'issuesMs', 'warmParametersMs', 'warmIssuesMs'] as const;
export type PanelTimes = Record<(typeof TIMES)[number], number>;

interface Printed extends PanelTimes {
	loadMs: number;
	/** Reading the description for the first time, as JSON. */
	readMs: number;
	heapMb: number;
	properties: number;
	kilobytes: number;
	/** How many fields each of the opened panels shows. */
	shown: Record<string, number>;
}

export interface Weight extends Omit<Printed, keyof PanelTimes> {
	panels: Record<string, PanelTimes>;
}

const PREFIX = '{"loadMs"';

/** Each panel in a fresh Node of the version that n8n runs on, the contenders in turn; medians. `opened` are panels by name. */
export async function weigh(
	contenders: MeasuredPackage[],
	opened: Record<string, IDataObject>,
	{ node, n8n }: InstalledHost,
	modules: string,
	rounds: number,
): Promise<Weight[]> {
	const all = contenders.map(({ panels }) =>
		Object.keys(panels).map((name) => ({ name, printed: [] as Printed[] })),
	);
	for (let round = 0; round < rounds; round += 1)
		for (const [at, { files, panels }] of contenders.entries())
			for (const { name, printed } of all[at]!) {
				const panel = panels[name];
				const entries = JSON.stringify({ host: n8n, files, panel, opened, rounds: RESOLVED });
				const output = await run(node, ['--expose-gc', FRESH, entries], modules, {
					env: { ...process.env, NODE_PATH: modules },
				});
				const line = output.split('\n').find((one) => one.startsWith(PREFIX));
				if (!line) throw new Error(`Nothing was weighed:\n${output}`);
				printed.push(JSON.parse(line) as Printed);
			}
	return all.map((panels) => {
		const every = panels.flatMap(({ printed }) => printed);
		const of = (pick: (one: Printed) => number, among = every) => median(among.map(pick));
		return {
			...every[0]!,
			loadMs: of(({ loadMs }) => loadMs),
			readMs: of(({ readMs }) => readMs),
			heapMb: of(({ heapMb }) => heapMb),
			panels: Object.fromEntries(
				panels.map(({ name, printed }) => [
					name,
					Object.fromEntries(TIMES.map((time) => [time, of((one) => one[time], printed)])),
				]),
			) as Record<string, PanelTimes>,
		};
	});
}
