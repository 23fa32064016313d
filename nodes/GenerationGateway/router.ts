import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import {
	createRunError,
	describeFailures,
	failureToItem,
	toStreamedError,
	type ErrorRoute,
	type Failure,
} from '../n8n/items/failure';
import { keepInput } from '../n8n/items/includeInput';
import { concurrency, includeInput } from '../n8n/options';
import { itemsOf, Run, type ItemOutcome, type ItemSource, type Operation } from './operation';
import { logProgress } from './progressLog';
import { saveDurations } from './tasks/durationMemory';
import { settleSuspended, type SettledOutcome } from './suspend/settle';
import type { SuspendedItem } from './suspend/storedSuspension';
import { suspendExecution } from './suspend/suspendExecution';
import { cancelOpenTasksOnStop } from './tasks/cancelOnStop';

/**
 * The only loop over items. All are read and checked first. When one cannot be sent and the node does not
 * continue on fail, nothing is sent. The rest run side by side and come out in order, paired with their
 * input.
 */
export async function route(
	context: IExecuteFunctions,
	operation: Operation,
	source = itemsOf(context),
): Promise<INodeExecutionData[][]> {
	const run = new Run(context, source);
	const forgetStop = cancelOpenTasksOnStop(run);
	try {
		return await routeRun(run, operation, source);
	} finally {
		forgetStop();
		run.budget.dropUnsent(run.reservations);
		run.record.leave();
	}
}

async function routeRun(
	run: Run,
	operation: Operation,
	source: ItemSource,
): Promise<INodeExecutionData[][]> {
	const { context, itemCount } = run;
	const plans: ({ plan: unknown } | { error: unknown })[] = [];
	/** The fields of the input items, with Include Input Fields. */
	const inputs: (IDataObject | undefined)[] = [];
	for (let index = 0; index < itemCount; index += 1)
		plans.push(
			await attempt(run, index, async () => {
				const item = source.read(index);
				if (item.optionAlone(includeInput)) inputs[index] = context.getInputData()[index]?.json;
				// Read before, from the first item. Here it is checked.
				item.option(concurrency);
				const plan = await operation.plan(item, run);
				item.assertValid();
				for (const message of item.warnings) run.summary.addWarning(message, index);
				return { plan };
			}),
		);
	stopAt(plans.map((plan) => [plan]));
	run.rows.begin();

	const progress = logProgress(run);
	const outcomes = await Promise.all(
		plans.map(async (plan, index): Promise<ItemOutcome[]> => {
			const perform = async () =>
				'error' in plan ? [plan] : await operation.perform(plan.plan, run);
			const outcome = await attempt(run, index, perform);
			progress.count();
			return [outcome].flat();
		}),
	).finally(progress.stop);
	run.record.saveCost();
	saveDurations(context, run.coordinator.learned);
	const tracing = run.summary.tracing(run.record);
	// n8n would put it on the agent's span.
	if (tracing && !context.isToolExecution?.()) context.setMetadata?.({ tracing });
	const settled = await settleSuspended(outcomes, run);
	stopAt(settled.outcomes);
	const route = errorRouteOf(context, settled.until !== undefined);
	const output = settled.outcomes.flatMap((ofItem, index) => {
		const former = route === 'output' ? context.getInputData()[index] : undefined;
		const known = { index, input: inputs[index], former, makesTask: operation.makesTasks };
		return ofItem.map((outcome) => toItem(outcome, known, route));
	});
	// n8n takes an `error` in the first item for a failure. Older hosts take null and false for one, too.
	const isRunAgain = run.rows.hasNextTry && output[0]?.json.error !== undefined;
	if (!isRunAgain) for (let index = 0; index < itemCount; index += 1) run.rows.forget(index);
	// The items of a suspended execution would be the input of the next try.
	const suspends = !(isRunAgain && output[0]!.json.error);
	if (settled.until && suspends) return await suspendExecution(context, output, settled.until);
	const pictures = run.gallery.render(context);
	const failures = describeFailures(findFailures(settled.outcomes), itemCount);
	const passed = run.budget.findPassed(run.reservations);
	const hints = run.summary.hints(run.rows.reusedCount, [...passed, ...failures], itemCount);
	if (pictures) hints.push({ message: pictures, location: 'outputPane' });
	context.addExecutionHints?.(...hints);
	return [output];

	function stopAt(found: readonly (readonly object[])[]): void {
		const failures = findFailures(found);
		if (!failures.length || source.continuesOnFail) return;
		const { taskIds, unclear } = run.rows.made;
		const made = { taskIds: [...findTaskIds(found), ...taskIds], unclear };
		const error = createRunError(context.getNode(), failures, itemCount, made);
		throw context.isStreaming?.() ? toStreamedError(error) : error;
	}
}

async function attempt<T>(
	{ rows }: Run,
	index: number,
	work: () => Promise<T>,
): Promise<T | { error: unknown }> {
	try {
		return await work();
	} catch (error) {
		rows.handOnKeys(index);
		return { error };
	}
}

const findFailures = (outcomes: readonly (readonly object[])[]): Failure[] =>
	outcomes.flatMap((ofItem, index) =>
		ofItem.flatMap((outcome) => ('error' in outcome ? [{ error: outcome.error, index }] : [])),
	);

const findTaskIds = (outcomes: readonly (readonly object[])[]): string[] =>
	outcomes.flat().flatMap((outcome) => {
		const { task_id, status } = 'json' in outcome ? (outcome.json as IDataObject) : {};
		return task_id && status !== 'cancelled' ? [String(task_id)] : [];
	});

function errorRouteOf(context: IExecuteFunctions, isStored: boolean): ErrorRoute {
	if (context.getNode().onError !== 'continueErrorOutput') return 'regular';
	// Without a source n8n takes the item as it is, and drops its `json`.
	const hasInput = Boolean(context.getExecuteData?.().source?.main?.[0]);
	return isStored || !hasInput ? 'stored output' : 'output';
}

function toItem(
	outcome: SettledOutcome,
	known: Omit<Failure, 'error'>,
	route: ErrorRoute,
): INodeExecutionData {
	if ('error' in outcome) return failureToItem({ ...outcome, ...known }, route);
	const { index, input } = known;
	const item: SuspendedItem = { pairedItem: { item: index }, ...outcome };
	if (!input) return item;
	const { suspended } = item;
	return {
		...item,
		json: { ...keepInput(input, item.json), ...item.json },
		...(suspended && { suspended: { ...suspended, input } }),
	};
}
