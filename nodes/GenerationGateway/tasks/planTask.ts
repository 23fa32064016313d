import { isBlank } from '../../catalog/json';
import { findDearest, type CostEstimate } from '../../catalog/pricing';
import type { RequestBody } from '../../catalog/rules';
import type { ModelSpec } from '../../catalog/modelSpec';
import { GatewayError } from '../../gateway/errors';
import { isPrivateAddress } from '../../gateway/privateAddress';
import { RetiredKeys } from '../../gateway/tasks/idempotencyKeys';
import { assertReachable, isGatewayPrivate } from '../../n8n/gatewayAddress';
import type { ItemReader } from '../../n8n/itemReader';
import type { OutputOptions } from '../../n8n/items/task';
import { readCostLimits } from '../account/costOptions';
import type { CostLimits } from '../account/charge';
import { MOST_TRIES } from '../account/rowMemory';
import { systemClock } from '../../n8n/systemClock';
import type { Run } from '../operation';
import { canSuspend } from '../suspend/canSuspend';
import { getCallbackUrl, getResumeUrl } from '../suspend/resumeLink';
import { planCandidates } from './fallback';
import { callbackEvents, callbackExecution, callbackUrl, dryRun } from './parameters';
import { retiredKeysByAccount } from './taskKey';
import type { TaskPlan } from './taskPlan';
import {
	cancelOnStop,
	readPollOptions,
	suspendHoursParameter,
	suspending,
	waitParameter,
} from './waitOptions';

/**
 * Checks an item's request against the tables and the budget, and gives it a key. Throws every reason why it
 * cannot be sent at once. A row that an earlier try has sent keeps its plan, whatever its expressions give
 * now.
 */
export async function planTask(
	item: ItemReader,
	run: Run,
	spec: ModelSpec,
	parameters: RequestBody,
	outputOptions: OutputOptions,
): Promise<TaskPlan> {
	const kept = run.rows.plan(item.index);
	if (kept) return keepPlan(kept, item, run);

	const isDryRun = item.option(dryRun);
	const chosen = item.parameter(waitParameter('none'));
	const isPossible = chosen !== 'suspend' || mayBeSuspended(item, run);
	const wait = isPossible ? chosen : 'poll';
	const hours = chosen === 'suspend' ? item.parameter(suspendHoursParameter('wait')) : undefined;
	const options = {
		waits: wait === 'poll',
		pollsInstead: !isPossible,
		...(wait === 'suspend' && { suspendHours: hours }),
		isDryRun,
		cancelsOnStop: item.option(cancelOnStop),
		pollOptions: readPollOptions(item, isPossible ? undefined : hours),
		outputOptions,
	};
	const limits = readCostLimits(item);
	const isCalledBack = item.option(callbackExecution) && callbackExecution.property.displayName;
	const callsBack = wait === 'suspend' ? suspending.name : isCalledBack;
	const given = await withCallback(parameters, item, run, callsBack);
	// Retry On Fail sends what is planned now, also in the last try. Each try may take Max Wait.
	const tries = item.context.getNode().retryOnFail ? MOST_TRIES : 1;
	const waitMs = options.pollOptions.timeoutMs * tries * countQueued(run, limits);
	const candidates = await planCandidates(item, run, spec, given, waitMs);
	item.assertValid();
	if (callsBack)
		await assertReachable(item.context, getResumeUrl(item.context, item.index)).catch(
			(error: GatewayError) => {
				if (!isDryRun) throw error;
				candidates[0]!.warnings.push(error.message);
			},
		);

	const estimates = candidates
		.filter(({ refusal }) => !refusal)
		.map(({ spec: { id }, estimate }): CostEstimate =>
			'unknown' in estimate ? { unknown: `${id}: ${estimate.unknown}` } : estimate,
		);
	const dearest = findDearest(estimates);
	const account = await run.client.context.account?.();
	const keys = candidates.map(({ key }) => key.key);
	const reservation = run.budget.reserve(dearest, limits, { keys, account, isDryRun });
	if (!isDryRun) run.reservations.push(reservation);
	const retiredKeys = retiredKeysByAccount.getOrCreate(
		account ?? '',
		() => new RetiredKeys(systemClock),
	);
	const shared = { ...options, reservation, retiredKeys, index: item.index, fallbacks: [] };
	// An earlier try may have gone on to another model.
	const sent = keys.findIndex((key) => run.budget.isSent(reservation, key));
	const skipped = Math.max(0, sent);
	const [plan, ...fallbacks] = candidates
		.slice(skipped)
		.map((candidate): TaskPlan => ({ ...candidate, ...shared })) as [TaskPlan, ...TaskPlan[]];
	const reason = 'It could not do the task in an earlier try';
	const replaced = skipped ? { model: spec.id, reason } : undefined;
	// An agent compares prices of which it takes one.
	const isSummed = isDryRun && !item.isTool;
	const passed = isSummed ? run.budget.checkedRows.add(reservation, dearest) : [];
	return {
		...plan,
		warnings: [...item.warnings, ...plan.warnings, ...passed],
		fallbacks,
		replaced,
	};
}

/** How many rows may go one after another, as those without a stated price do under a limit that they share. */
const countQueued = ({ itemCount }: Run, { sendsUnpriced, perExecution, perDay }: CostLimits) =>
	sendsUnpriced && (perExecution ?? perDay) !== undefined ? itemCount : 1;

function keepPlan(plan: TaskPlan, item: ItemReader, run: Run): TaskPlan {
	// Each run says why.
	if (plan.pollsInstead) mayBeSuspended(item, run);
	run.budget.reclaim(plan.reservation, plan.estimate);
	run.reservations.push(plan.reservation);
	return plan;
}

const NOT_IN_SUBWORKFLOW =
	'Wait is Until Done here: n8n loses results when it suspends a sub-workflow';
const NOT_WITHOUT_EXECUTION =
	'Wait is Until Done here: there is no execution that n8n could suspend';

/**
 * Suspending needs an execution that n8n keeps. Of sub-workflows that are called once for each item, n8n would
 * lose all results but one.
 */
function mayBeSuspended({ context }: ItemReader, run: Run): boolean {
	if (!context.getExecutionId()) return canSuspend(run, NOT_WITHOUT_EXECUTION);
	return canSuspend(run, context.getMode() === 'integrated' ? NOT_IN_SUBWORKFLOW : undefined);
}

/**
 * Adds whom the gateway calls back: an address of the user, or this execution. `callsBack`: the label of what asks
 * for the latter.
 */
async function withCallback(
	parameters: RequestBody,
	item: ItemReader,
	{ itemCount, summary }: Run,
	callsBack: string | false,
): Promise<RequestBody> {
	const { context, index } = item;
	const url = item.option(callbackUrl);
	if (callsBack) {
		if (url || !isBlank(parameters.callback_url))
			item.addIssue(
				callbackUrl.name,
				`Callback URL and ${callsBack} exclude each other. Remove one of them`,
			);
		const link = getCallbackUrl(context, index, itemCount);
		const given: RequestBody = { ...parameters, callback_url: link };
		if (!link) delete given.callback_url;
		// It waits for every end.
		delete given.callback_events;
		return given;
	}
	if (isPrivateAddress(url) && !(await isGatewayPrivate(context)))
		summary.addWarning(`The gateway probably cannot reach Callback URL, ${new URL(url).host}`);
	if (url || !isBlank(parameters.callback_url)) summary.hasCallbackUrl = true;
	const { rawOptions } = item;
	item.checkMissing(rawOptions, callbackEvents.name, callbackEvents.displayName);
	const events = [rawOptions[callbackEvents.name] ?? []].flat().filter((event) => event !== '');
	return {
		...parameters,
		...(url && { callback_url: url }),
		...(events.length && { callback_events: events }),
	};
}
