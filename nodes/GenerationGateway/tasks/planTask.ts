import type { IDataObject } from 'n8n-workflow';
import { validate } from '../../catalog/validate';
import { estimateCost, type CostEstimate } from '../../catalog/pricing';
import { quote, toText } from '../../catalog/labels';
import type { RequestBody } from '../../catalog/rules';
import type { ModelSpec } from '../../catalog/modelSpec';
import { acquireKey, type Try } from '../../gateway/tasks/idempotencyKeys';
import type { PollOptions } from '../../gateway/tasks/awaitTask';
import { InputError, type Item, type Run } from '../operation';
import { createOptionReader } from '../../n8n/options';
import { getResumeUrl } from '../suspend/suspend';
import { resolveInputFiles } from './inputFiles';

/** A task that may be sent: checked, priced, within the budget. */
export interface TaskPlan {
	sheet: ModelSpec;
	/** The whole body, `model` included. */
	body: IDataObject;
	estimate: CostEstimate;
	warnings: string[];
	key: string;
	/** The key is the user's own, so that other nodes and executions may have it too. */
	isOwnKey: boolean;
	ended: Try['ended'];
	wait: boolean;
	dryRun: boolean;
	/** Unfinished tasks are cancelled when the user stops the run. */
	cancelOnStop: boolean;
	pollOptions: PollOptions;
	outputOptions: OutputOptions;
}

/** How a task becomes an item. */
export interface OutputOptions {
	/** Binary field for the results; undefined when they are not downloaded. */
	download?: string;
	simplify: boolean;
}

type Reader = ReturnType<typeof createOptionReader>;

const delivery = ({ isOn }: Reader, { options: { download } }: Item): OutputOptions => ({
	download: download ? toText(download) : undefined,
	simplify: isOn('simplify', 'Simplify', true),
});
const pollOptions = ({ number }: Reader): PollOptions => ({
	timeoutMs: (number('timeout', 'Wait at Most', 0) ?? 1200) * 1000,
	longestMs: (number('pollInterval', 'Longest Poll Interval', 1) ?? 10) * 1000,
});
const cancelOnStop = ({ isOn }: Reader) => isOn('cancelOnStop', 'Cancel Tasks on Stop');

export const readOutputOptions = (item: Item): OutputOptions => readOptionsOrThrow(item, delivery);
export const readPollOptions = (item: Item): PollOptions => readOptionsOrThrow(item, pollOptions);
export const readCancelOnStop = (item: Item): boolean => readOptionsOrThrow(item, cancelOnStop);

/** What options say, or every reason why they cannot be read. */
export function readOptionsOrThrow<Read>(
	item: Item,
	read: (reader: Reader, item: Item) => Read,
): Read {
	const reader = createOptionReader(item);
	const value = read(reader, item);
	if (reader.issues.length) throw new InputError(reader.issues);
	return value;
}

function callbackOf({ options, context, index }: Item, toThisExecution: boolean): RequestBody {
	const { callback_url: given, callback_events } = options;
	const url = toThisExecution ? getResumeUrl(context, index) : given;
	const events = [callback_events ?? []].flat().filter((event) => event !== '');
	return { ...(url && { callback_url: url }), ...(events.length && { callback_events: events }) };
}

/** Holds an item's request against the tables and the budget, and gives it its key. Throws every reason at once. */
export async function planTask(
	item: Item,
	run: Run,
	spec: ModelSpec,
	parameters: RequestBody,
): Promise<TaskPlan> {
	const { options } = item;
	const reader = createOptionReader(item);
	const maximum = {
		perItem: reader.number('maximumCost', 'Maximum Cost per Item', 0),
		perRun: reader.number('maximumRunCost', 'Maximum Cost per Run', 0),
		sendUnpriced: options.unknownPrice === 'send',
	};
	const told = {
		wait: item.get('wait', 'none') === 'poll',
		dryRun: reader.isOn('dryRun', 'Dry Run'),
		cancelOnStop: cancelOnStop(reader),
		pollOptions: pollOptions(reader),
		outputOptions: delivery(reader, item),
	};
	const toThisExecution = reader.isOn('callbackExecution', 'Call Back This Execution');
	const {
		request,
		identity,
		issues: wrongFiles,
	} = await resolveInputFiles(item, spec, { ...parameters, ...callbackOf(item, toThisExecution) });
	const { issues: found, warnings } = validate(spec, request);
	const issues = [...wrongFiles, ...found, ...reader.issues];
	if (toThisExecution && options.callback_url)
		issues.push({
			field: 'callback_url',
			message: 'Callback URL (callback_url) and Call Back This Execution exclude each other',
		});
	const body = { ...request, model: spec.id } as IDataObject;
	const recognised = { ...identity, model: spec.id };
	const givenKey = options.idempotencyKey ?? '';
	if (typeof givenKey === 'object')
		issues.push({
			field: 'idempotencyKey',
			message: `Idempotency Key (idempotencyKey): ${quote(givenKey)} is given, and a text is needed`,
		});
	const ownKey = toText(givenKey).trim();
	const rival = ownKey ? otherUseOf(ownKey, recognised, item, run) : undefined;
	if (rival !== undefined)
		issues.push({
			field: 'idempotencyKey',
			message: `Idempotency Key (idempotencyKey): ${ownKey} is also the key of item ${rival}, which asks for something else. The gateway would give both the same task`,
		});
	const price = issues.length ? { unknown: '' } : estimateCost(spec, request);
	const overspent = issues.length ? undefined : run.budget.reserve(price, maximum);
	if (overspent) issues.push(overspent);
	if (issues.length) throw new InputError(issues);

	const { key, ended } = acquireKey(originOf(item, run), recognised);
	return {
		sheet: spec,
		body,
		estimate: price,
		warnings: warnings.map(({ message }) => message),
		key: ownKey || key,
		isOwnKey: Boolean(ownKey),
		ended,
		...told,
	};
}

/** The item of this run that has the same key for another request; equal requests may share their task. */
function otherUseOf(key: string, body: RequestBody, { index }: Item, run: Run): number | undefined {
	const uses = run.once('keys', () => new Map<string, { index: number; body: string }>());
	const asked = JSON.stringify(body);
	const first = uses.get(key) ?? { index, body: asked };
	uses.set(key, first);
	return first.body === asked ? undefined : first.index;
}

function originOf(item: Item, { context, once }: Run) {
	return {
		executionId: context.getExecutionId() || undefined,
		nodeId: context.getNode().id,
		runIndex: once('runIndex', () => Number(context.getWorkflowDataProxy(0).$runIndex ?? 0)),
		itemIndex: item.index,
	};
}
