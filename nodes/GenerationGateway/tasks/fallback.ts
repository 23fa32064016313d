import { getField } from '../../catalog/requestSpec';
import { getModelSpec, type ModelSpec } from '../../catalog/modelSpec';
import type { RequestBody } from '../../catalog/rules';
import { getLabel, joinWords } from '../../catalog/labels';
import { validate } from '../../catalog/validate';
import type { ItemReader } from '../../n8n/itemReader';
import type { ItemOutcome, Run } from '../operation';
import { markFallback, withFallback } from '../withFallback';
import { fallbackModels } from '../../n8n/options';
import { omitUnsupported } from './parameters';
import { performTask } from './performTask';
import type { TaskPlan } from './taskPlan';

/** A fallback model with the fields that fit it. */
export interface FallbackRequest {
	spec: ModelSpec;
	given: RequestBody;
	/** Labels of the fields that it does not take. */
	omitted: string[];
}

/** Fields that are never omitted. */
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

/** The fallback models of an item. A field that does not fit is an issue, unless the user allows to omit it. */
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

/** What a user should know of a fallback that omits fields. */
export const describeOmitted = ({ spec, omitted }: FallbackRequest): string[] =>
	omitted.length ? [`Fallback model ${spec.id} runs without ${joinWords(omitted, 'and')}`] : [];

export async function performWithFallback(plan: TaskPlan, run: Run): Promise<ItemOutcome[]> {
	return await withFallback(
		[plan, ...plan.fallbacks],
		run.summary,
		{
			index: plan.index,
			modelOf: ({ spec }) => spec.id,
			replaced: plan.replaced,
			mayReplace: ({ refusal, reservation }) =>
				refusal !== undefined || !run.budget.mayExist(reservation),
			onReplace: ({ reservation, estimate }) => {
				const problem = run.budget.renew(reservation, estimate, { isNextModel: true });
				if (problem) throw problem;
			},
		},
		async (candidate, replaced, next) => {
			const { refusal, isDryRun, outputOptions } = candidate;
			if (refusal && !isDryRun) throw refusal;
			const output = await performTask({ ...candidate, isCancelledWhenLate: !!next }, run);
			const isMarked = outputOptions.simplify && !isDryRun;
			return output.map((item) =>
				isMarked && 'json' in item ? markFallback(item, replaced) : item,
			);
		},
	);
}
