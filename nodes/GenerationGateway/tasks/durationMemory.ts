import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** In the static data of the node, which n8n keeps for active workflows: milliseconds by model. */
const DURATIONS = 'durations';
const MOST_MODELS = 50;
/** n8n writes changed static data to its database, so only a notable change is saved. */
const NOTABLE_SHARE = 0.25;

type Context = Pick<IExecuteFunctions, 'getWorkflowStaticData'>;

/** The shortest durations in earlier executions, in milliseconds by model. */
export function readDurations(context: Context): Map<string, number> {
	const saved = Object.entries(context.getWorkflowStaticData('node')[DURATIONS] ?? {});
	return new Map(
		saved.filter((pair): pair is [string, number] => typeof pair[1] === 'number' && pair[1] > 0),
	);
}

export function saveDurations(context: Context, learned: ReadonlyMap<string, number>): void {
	const saved = readDurations(context);
	const changed = [...learned].filter(([model, ms]) => {
		const before = saved.get(model);
		return before === undefined || Math.abs(ms - before) > before * NOTABLE_SHARE;
	});
	if (!changed.length) return;
	for (const [model] of changed) saved.delete(model);
	const all = [...saved, ...changed].slice(-MOST_MODELS);
	const rounded = all.map(([model, ms]) => [model, Math.round(ms)]);
	context.getWorkflowStaticData('node')[DURATIONS] = Object.fromEntries(rounded) as IDataObject;
}
