import { getField, toFieldsOf } from '../../catalog/requestSpec';
import { findKindProblem, getModelSpec, type ModelSpec } from '../../catalog/modelSpec';
import type { RequestBody } from '../../catalog/rules';
import { getLabel, joinWords } from '../../catalog/labels';
import { validate } from '../../catalog/validate';
import { estimateCost } from '../../catalog/pricing';
import { GatewayError } from '../../gateway/errors';
import type { ItemReader } from '../../n8n/itemReader';
import type { ItemOutcome, Run } from '../operation';
import { withFallback } from '../withFallback';
import { fallbackModels, readFallbackModels } from '../../n8n/options';
import { resolveInputFiles, type RequestWithFiles } from './inputFiles';
import { omitUnsupported } from './parameters';
import { performTask } from './performTask';
import { readTaskKey } from './taskKey';
import type { TaskPlan } from './taskPlan';

/** The request for one model: the chosen one or a fallback model. */
type Candidate = Pick<TaskPlan, 'spec' | 'body' | 'key' | 'estimate' | 'warnings' | 'refusal'>;

/** Its request, before it has a key and a price. */
type ModelRequest = Pick<RequestWithFiles, 'request' | 'identity'> &
	Pick<TaskPlan, 'spec' | 'warnings' | 'refusal'>;

/** Fields that are never omitted. */
const KEPT: ReadonlySet<string> = new Set(['action', 'prompt']);

const findUnfit = (spec: ModelSpec, request: RequestBody): string[] =>
	validate(spec, request)
		.issues.map(({ field }) => field)
		.filter(
			(name) => request[name] !== undefined && !KEPT.has(name) && !spec.fields[name]?.required,
		);

/**
 * The fallback models of an item, with its files in the fields of each. A field that does not fit is an issue,
 * unless the user allows to omit it.
 */
async function readFallbacks(
	item: ItemReader,
	chosen: ModelSpec,
	given: RequestBody,
	/** For each model. */
	waitMs: number,
): Promise<ModelRequest[]> {
	const { media } = chosen;
	const isOmitting = item.option(omitUnsupported);
	const read = async (id: string, index: number): Promise<ModelRequest> => {
		const spec = getModelSpec(id, media);
		const fail = (message: string) =>
			item.addIssue(fallbackModels.name, `Fallback model ${id}: ${message}`);
		const unfit = findKindProblem(id, media ? [media] : ['image', 'video']);
		if (unfit) item.addIssue(fallbackModels.name, `Fallback model ${id} ${unfit}`);
		const body = toFieldsOf(spec, chosen, given);
		const files = await resolveInputFiles(item, spec, body, waitMs * (index + 2));
		const omitted = isOmitting ? findUnfit(spec, files.request) : [];
		const omit = (fields: RequestBody): RequestBody =>
			Object.fromEntries(Object.entries(fields).filter(([name]) => !omitted.includes(name)));
		const request = omit(files.request);
		const { issues } = validate(spec, request);
		for (const { message } of [...files.issues, ...issues]) fail(message);
		const warnings = describeOmitted(spec, omitted);
		return { spec, request, identity: omit(files.identity), warnings };
	};
	return await Promise.all(readFallbackModels(item, chosen.id).map(read));
}

/** What a user should know of a fallback that omits fields. */
function describeOmitted(spec: ModelSpec, omitted: readonly string[]): string[] {
	const labels = new Set(omitted.map((name) => getLabel(name, getField(spec, name))));
	return labels.size
		? [`Fallback model ${spec.id} runs without ${joinWords([...labels], 'and')}`]
		: [];
}

/** The model that was chosen, then the fallback models. What they do not accept is an issue of the item. */
export async function planCandidates(
	item: ItemReader,
	run: Run,
	spec: ModelSpec,
	given: RequestBody,
	waitMs: number,
): Promise<Candidate[]> {
	const { request, identity, issues } = await resolveInputFiles(item, spec, given, waitMs);
	const found = validate(spec, request);
	const fallbacks = await readFallbacks(item, spec, given, waitMs);
	const isReplaced = spec.deprecated !== undefined && fallbacks.length > 0;
	item.issues.unshift(...issues, ...(isReplaced ? [] : found.issues));
	const chosen: ModelRequest = {
		spec,
		request,
		identity,
		warnings: found.warnings.map(({ message }) => message),
		...(isReplaced && { refusal: new GatewayError('not_found', found.issues[0]!.message) }),
	};
	return [chosen, ...fallbacks].map((planned, index) => {
		const { request: fields, identity: of, ...candidate } = planned;
		const model = { model: candidate.spec.id };
		return {
			...candidate,
			body: { ...fields, ...model },
			key: readTaskKey(item, run, { ...of, ...model }, index > 0),
			estimate: estimateCost(candidate.spec, fields),
		};
	});
}

export async function performWithFallback(plan: TaskPlan, run: Run): Promise<ItemOutcome[]> {
	return await withFallback(
		[plan, ...plan.fallbacks],
		run.summary,
		{
			modelOf: ({ spec }) => spec.id,
			replaced: plan.replaced,
			mayReplace: ({ refusal, reservation, key }, { isPermanent }) =>
				refusal !== undefined || !run.budget.mayExist(reservation, key.key, isPermanent),
			onReplace: ({ reservation, estimate }) =>
				run.budget.renew(reservation, estimate, { isNextModel: true }),
		},
		async (candidate, fallbacks, replaced) => {
			if (candidate.refusal && !candidate.isDryRun) {
				run.budget.release(candidate.reservation);
				throw candidate.refusal;
			}
			return await performTask({ ...candidate, fallbacks, replaced }, run);
		},
	);
}
