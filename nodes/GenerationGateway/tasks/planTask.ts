import { estimateCost } from '../../catalog/pricing';
import type { RequestBody } from '../../catalog/rules';
import type { ModelSpec } from '../../catalog/modelSpec';
import { validate } from '../../catalog/validate';
import { GatewayError } from '../../gateway/errors';
import type { ItemReader } from '../../n8n/itemReader';
import type { OutputOptions } from '../../n8n/items/task';
import type { Run } from '../operation';
import { getResumeUrl } from '../suspend/suspension';
import { resolveInputFiles } from './inputFiles';
import {
	callbackEvents,
	callbackExecution,
	callbackUrl,
	cancelOnStop,
	dryRun,
	waitParameter,
} from './parameters';
import { readCostLimits, readPollOptions } from './readOptions';
import { readTaskKey } from './taskKey';
import type { TaskPlan } from './taskPlan';

/**
 * Holds an item's request against the tables and the budget, and gives it its key. Throws every
 * reason why it cannot be sent at once.
 */
export async function planTask(
	item: ItemReader,
	run: Run,
	spec: ModelSpec,
	parameters: RequestBody,
	outputOptions: OutputOptions,
): Promise<TaskPlan> {
	const options = {
		waits: item.parameter(waitParameter('none')) === 'poll',
		isDryRun: item.option(dryRun),
		cancelsOnStop: item.option(cancelOnStop),
		pollOptions: readPollOptions(item),
		outputOptions,
	};
	const limits = readCostLimits(item);
	const given = { ...parameters, ...readCallback(item) };
	const { request, identity, issues } = await resolveInputFiles(item, spec, given);
	const { issues: found, warnings } = validate(spec, request);
	item.issues.unshift(...issues, ...found);
	const model = { model: spec.id };
	const key = readTaskKey(item, run, { ...identity, ...model });
	item.assertValid();

	const estimate = estimateCost(spec, request);
	const reservation = run.budget.reserve(estimate, limits);
	if (reservation instanceof GatewayError) throw reservation;
	return {
		spec,
		body: { ...request, ...model },
		key: key!,
		estimate,
		reservation,
		warnings: warnings.map(({ message }) => message),
		...options,
	};
}

/** Who is called when the task has ended: an address of the user, or this execution. */
function readCallback(item: ItemReader): RequestBody {
	const url = item.option(callbackUrl);
	const isThisExecution = item.option(callbackExecution);
	if (url && isThisExecution)
		item.addIssue(
			callbackUrl.name,
			'Callback URL and Call Back This Execution exclude each other. Remove one of them',
		);
	const link = isThisExecution ? getResumeUrl(item.context, item.index) : url;
	const chosen = [item.rawOptions[callbackEvents.name] ?? []]
		.flat()
		.filter((event) => event !== '');
	// This execution waits for the end of the task, whichever it is.
	const events = isThisExecution ? [] : chosen;
	return { ...(link && { callback_url: link }), ...(events.length && { callback_events: events }) };
}
