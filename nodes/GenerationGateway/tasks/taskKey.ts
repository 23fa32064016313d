import { createHash, randomUUID } from 'crypto';
import { BoundedMap } from '../../gateway/boundedMap';
import type { JsonObject } from '../../gateway/json';
import {
	canonicalJson,
	encodeKey,
	keyOfEqualRequest,
	keyOfExecution,
	keyOfModel,
	keyOfRow,
	RetiredKeys,
	type KeyOrigin,
} from '../../gateway/tasks/idempotencyKeys';
import { isRunByCaller, type ItemReader } from '../../n8n/itemReader';
import type { Run } from '../operation';
import { idempotencyKey, ifAlreadyMade } from './parameters';
import type { TaskKey } from './taskPlan';

const MOST_ACCOUNTS = 1_000;

/** Of this process, by account: two accounts may use the same key. */
export const retiredKeysByAccount = new BoundedMap<string, RetiredKeys>(MOST_ACCOUNTS);

/**
 * The key of an item's task: the user's own, one for the n-th equal request, one for all equal calls of a
 * tool, or one of the row. `identity` is the body as it is recognised when it is repeated. Adds an issue
 * where two items have one key for different requests, since both would get the same task.
 */
export function readTaskKey(
	item: ItemReader,
	run: Run,
	identity: JsonObject,
	isFallback: boolean,
): TaskKey {
	const choice = item.option(ifAlreadyMade);
	const given = choice === 'make' ? '' : item.option(idempotencyKey);
	const isWanted = choice === 'key' || (!choice && idempotencyKey.name in item.rawOptions);
	if (isWanted && !given && !item.issues.some(({ field }) => field === idempotencyKey.name))
		item.addIssue(
			idempotencyKey.name,
			`Idempotency Key is empty. Give it a value under Options, or ${choice ? 'choose something else for If Already Made' : 'remove it'}`,
		);
	const spansExecutions = true;
	if (given && isFallback)
		return { spansExecutions, given, key: keyOfModel(given, String(identity.model)) };
	const equals = createHash('sha256').update(canonicalJson(identity)).digest('base64').slice(0, 12);
	if (given) {
		const rival = findRival(given, equals, item.index, run);
		if (rival !== undefined)
			item.addIssue(
				idempotencyKey.name,
				`Idempotency Key ${given} is also the key of item ${rival}, which asks for something else`,
			);
		return { spansExecutions, given, key: encodeKey(given) };
	}
	const origin = originOf(item, run);
	const isKept = origin.execution !== undefined;
	/** Equal calls of a tool share one task. */
	const isShared = item.isTool && choice !== 'make';
	if (choice === 'reuse' || (isShared && !isKept)) {
		// Counted in each pass of a loop.
		const request = `reuse ${run.runIndex} ${equals}`;
		const number = item.isTool ? '0' : run.rows.assignNumber(item.index, request);
		return { key: keyOfEqualRequest(origin, identity, number), spansExecutions };
	}
	if (isShared) return { key: keyOfExecution(origin, identity), spansExecutions: false };
	const ofCall = isKept ? origin : { ...origin, execution: randomUUID() };
	// Calls of a tool are runs side by side.
	const number = item.isTool
		? `${run.runIndex} ${item.index}`
		: run.rows.assignNumber(item.index, equals, isFallback);
	const create = () => keyOfRow(ofCall, identity, number);
	const key = isRunByCaller(item.context)
		? run.rows.keyOfCall(item.index, equals, create)
		: create();
	return { key, spansExecutions: false };
}

/** The item of this run with the same key for another request. */
function findRival(key: string, equals: string, index: number, run: Run): number | undefined {
	const uses = run.share(
		'idempotencyKeys',
		() => new Map<string, { index: number; equals: string }>(),
	);
	const first = uses.get(key) ?? { index, equals };
	uses.set(key, first);
	return first.equals === equals ? undefined : first.index;
}

function originOf({ context }: ItemReader, run: Run): KeyOrigin {
	const node = context.getNode();
	const execution = run.record.execution.origin;
	return {
		instanceId: context.getInstanceId(),
		workflowId: context.getWorkflow().id ?? '',
		execution,
		// Where n8n keeps no execution, the node has a new ID each time. In JSON written by hand it has none.
		node: execution === undefined ? node.name : (node.id ?? node.name),
	};
}
