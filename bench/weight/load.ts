import path from 'node:path';
import type { InstalledHost } from '../../scripts/host/install';
import { run } from '../../scripts/processes';
import { median } from '../result';
import type { MeasuredPackage } from './contenders';

const FRESH = path.join(__dirname, 'fresh.mjs');
/** How often a panel is resolved in one process. */
const RESOLVED = 400;

export interface Weight {
	loadMs: number;
	heapMb: number;
	properties: number;
	kilobytes: number;
	panels: Record<string, { parametersMs: number; issuesMs: number }>;
}

/** Each in a fresh Node of the version that n8n runs on, in turn; medians. */
export async function weigh(
	contenders: MeasuredPackage[],
	{ node, n8n }: InstalledHost,
	modules: string,
	rounds: number,
): Promise<Weight[]> {
	const all = contenders.map((): Weight[] => []);
	for (let round = 0; round < rounds; round += 1)
		for (const [at, { files, panels: parameters }] of contenders.entries()) {
			const entries = JSON.stringify({ host: n8n, files, parameters, rounds: RESOLVED });
			const printed = await run(node, ['--expose-gc', FRESH, entries], modules, {
				env: { ...process.env, NODE_PATH: modules },
			});
			const line = printed.split('\n').find((one) => one.startsWith('{"loadMs"'));
			if (!line) throw new Error(`Nothing was weighed:\n${printed}`);
			all[at]!.push(JSON.parse(line) as Weight);
		}
	return all.map((weights) => {
		const [{ properties, kilobytes, panels }] = weights as [Weight];
		const of = (pick: (weight: Weight) => number) => median(weights.map(pick));
		return {
			loadMs: of(({ loadMs }) => loadMs),
			heapMb: of(({ heapMb }) => heapMb),
			properties,
			kilobytes,
			panels: Object.fromEntries(
				Object.keys(panels).map((name) => [
					name,
					{
						parametersMs: of((weight) => weight.panels[name]!.parametersMs),
						issuesMs: of((weight) => weight.panels[name]!.issuesMs),
					},
				]),
			),
		};
	});
}
