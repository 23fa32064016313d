import { panelProperties } from '../nodes/n8n/panel/panel';
import { modelSpecs, type ModelSpec } from '../nodes/catalog/modelSpec';
import { median } from './result';

const ROUNDS = 9;

export interface Compiled {
	models: number;
	ms: number;
	kilobytes: number;
}

/** Both panels from tables in which every model stands this many times, under names of its own. */
export function createPanels(times: number): Compiled {
	const table = modelSpecs as ModelSpec[];
	const known = [...table];
	try {
		for (let copy = 1; copy < times; copy += 1)
			table.push(...known.map((spec) => ({ ...spec, id: `${spec.id}-${copy}` })));
		const made = Array.from({ length: ROUNDS }, () => {
			const began = performance.now();
			const panels = [panelProperties('image'), panelProperties('video')];
			return { ms: performance.now() - began, kilobytes: JSON.stringify(panels).length / 1024 };
		});
		return {
			models: table.length,
			ms: median(made.map(({ ms }) => ms)),
			kilobytes: made[0]!.kilobytes,
		};
	} finally {
		table.length = known.length;
	}
}
