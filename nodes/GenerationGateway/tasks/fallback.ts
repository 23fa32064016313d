import { getField } from '../../catalog/requestSpec';
import { getModelSpec, type ModelSpec } from '../../catalog/modelSpec';
import type { RequestBody } from '../../catalog/rules';
import { getLabel, joinWords } from '../../catalog/labels';
import { validate } from '../../catalog/validate';
import { withDetails, GatewayError } from '../../gateway/errors';
import { canFallBack } from '../../gateway/fallback';
import type { ItemReader } from '../../n8n/itemReader';
import type { OutputItem } from '../../n8n/items/task';
import type { Run } from '../operation';
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

/** Which model of an item has answered, by the key of its first one: Retry On Fail must not pay another. */
const answered = new Map<string, string>();
const MOST_REMEMBERED = 20_000;

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
export async function performWithFallback(plan: TaskPlan, run: Run): Promise<OutputItem[]> {
	const plans = [plan, ...plan.fallbacks];
	const known = plans.findIndex(({ spec }) => spec.id === answered.get(plan.key.key));
	let reason: GatewayError | undefined;
	for (const [index, attempt] of plans.entries()) {
		if (index < known) continue;
		const isLast = index === plans.length - 1;
		try {
			if (attempt.refusal && !attempt.isDryRun) throw attempt.refusal;
			if (index > 0) reserveAgain(plans[index - 1]!, attempt, run);
			const output = await performTask({ ...attempt, isCancelledWhenLate: !isLast }, run);
			if (index > 0) remember(plan.key.key, attempt.spec.id);
			return index > 0 ? output.map((item) => markFallback(item, plan, reason)) : output;
		} catch (error) {
			if (isLast || !canFallBack(error))
				throw index > 0 ? withDetails(error, { fallback_from: plan.spec.id }) : error;
			reason = error;
			const next = plans[index + 1]!.spec.id;
			run.summary.addWarning(`${error.message}. ${next} was used instead of ${attempt.spec.id}`);
		}
	}
	throw new GatewayError('unexpected', 'No model was asked');
}

/** The task of another model takes the place of the one that was not made. */
function reserveAgain(before: TaskPlan, attempt: TaskPlan, run: Run): void {
	run.budget.release(before.reservation);
	const reservation = run.budget.reserve(
		attempt.estimate,
		before.reservation.limits,
		before.key.spansExecutions ? before.key.key : undefined,
	);
	if (reservation instanceof GatewayError) throw reservation;
	attempt.reservation = reservation;
}

function remember(key: string, model: string): void {
	answered.set(key, model);
	if (answered.size > MOST_REMEMBERED) answered.delete(answered.keys().next().value!);
}

/** Says in a simplified item whose place the model has taken, and why. */
function markFallback(
	item: OutputItem,
	{ spec, outputOptions, isDryRun }: TaskPlan,
	reason: GatewayError | undefined,
): OutputItem {
	if (!outputOptions.simplify || isDryRun) return item;
	const why = reason && { fallback_reason: reason.message };
	return { ...item, json: { ...item.json, fallback_from: spec.id, ...why } };
}
