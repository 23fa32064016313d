import { getField } from '../../catalog/requestSpec';
import { getModelSpec, type ModelSpec } from '../../catalog/modelSpec';
import type { RequestBody } from '../../catalog/rules';
import { getLabel, joinWords } from '../../catalog/labels';
import { validate } from '../../catalog/validate';
import { withDetails } from '../../gateway/errors';
import { canFallBack } from '../../gateway/fallback';
import type { ItemReader } from '../../n8n/itemReader';
import type { ItemOutcome, Run } from '../operation';
import { fallbackModels } from '../../n8n/options';
import { omitUnsupported } from './parameters';
import { performTask } from './performTask';
import type { TaskPlan } from './taskPlan';

/** A model that is asked when the ones before it cannot do the task, and the fields that fit it. */
export interface FallbackRequest {
	spec: ModelSpec;
	given: RequestBody;
	/** Labels of the fields that it does not take. */
	omitted: string[];
}

/** The field does not fit the model: it has no such field, or refuses its value. What the task is about never goes. */
const KEPT: ReadonlySet<string> = new Set(['action', 'prompt']);

function omitFields(
	spec: ModelSpec,
	given: RequestBody,
): { given: RequestBody; omitted: string[] } {
	const unfit = validate(spec, given)
		.issues.map(({ field }) => field)
		.filter((name) => name in given && !KEPT.has(name) && !spec.fields[name]?.required);
	const rest = Object.entries(given).filter(([name]) => !unfit.includes(name));
	return {
		given: Object.fromEntries(rest),
		omitted: [...new Set(unfit)].map((name) => getLabel(name, getField(spec, name))),
	};
}

/**
 * The further models of an item with the fields that fit them. What does not fit is noted as an issue,
 * unless the user allows to leave it out.
 */
export function readFallbacks(
	item: ItemReader,
	{ media }: ModelSpec,
	given: RequestBody,
): FallbackRequest[] {
	const isOmitting = item.option(omitUnsupported);
	return item.option(fallbackModels).map((id) => {
		const spec = getModelSpec(id, media);
		const fail = (message: string) =>
			item.addIssue(fallbackModels.name, `Fallback model ${id}: ${message}`);
		if (media && spec.media && spec.media !== media)
			fail(`it makes ${spec.media}s, but the item asks for ${media}s`);
		const fitting = isOmitting ? omitFields(spec, given) : { given, omitted: [] };
		for (const { message } of validate(spec, fitting.given).issues) fail(message);
		return { spec, ...fitting };
	});
}

/** What a user should know beforehand of a fallback that leaves fields out. */
export const describeOmitted = ({ spec, omitted }: FallbackRequest): string[] =>
	omitted.length ? [`Fallback model ${spec.id} runs without ${joinWords(omitted, 'and')}`] : [];

/** Performs an item with its model, or with the first of its fallback models that can do it. */
export async function performWithFallback(plan: TaskPlan, run: Run): Promise<ItemOutcome[]> {
	const [next, ...others] = plan.fallbacks;
	try {
		if (plan.refusal && !plan.isDryRun) throw plan.refusal;
		const output = await performTask({ ...plan, isCancelledWhenLate: !!next }, run);
		return output.map((item) => markFallback(item, plan));
	} catch (error) {
		const { replaces } = plan;
		const mayExist = !plan.refusal && run.budget.mayExist(plan.reservation);
		if (!next || !canFallBack(error) || mayExist)
			throw replaces ? withDetails(error, { fallback_from: replaces.model }) : error;
		const used = `${next.spec.id} was used instead of ${plan.spec.id}`;
		run.summary.addFallback(plan.index, error.message, used);
		const problem = run.budget.renew(plan.reservation, next.estimate, { isNextModel: true });
		if (problem) throw problem;
		const reason = { model: replaces?.model ?? plan.spec.id, reason: error.message };
		return await performWithFallback({ ...next, fallbacks: others, replaces: reason }, run);
	}
}

/** Says in a simplified item whose place the model has taken, and why. */
function markFallback(
	item: ItemOutcome,
	{ replaces, outputOptions, isDryRun }: TaskPlan,
): ItemOutcome {
	if (!('json' in item) || !replaces || !outputOptions.simplify || isDryRun) return item;
	const { model: fallback_from, reason: fallback_reason } = replaces;
	return { ...item, json: { ...item.json, fallback_from, fallback_reason } };
}
