import type { IExecuteFunctions, ISupplyDataFunctions } from 'n8n-workflow';
import type { JsonObject } from '../../gateway/context';
import {
	canonicalJson,
	IdempotencyKeys,
	type KeyOrigin,
} from '../../gateway/tasks/idempotencyKeys';
import type { ItemReader } from '../../n8n/itemReader';
import type { Run } from '../operation';
import { idempotencyKey, reuseEqualRequests } from './parameters';
import type { TaskKey } from './taskPlan';

/** The keys of this process: a retry of the run, and of an agent, finds what an earlier try left. */
export const idempotencyKeys = new IdempotencyKeys();

/** A key that stays the same by itself: nothing needs to be remembered of it. */
const KEPT = { release: () => undefined, spansExecutions: true, isLent: false };

/**
 * The key of an item's task: the user's own, one for the n-th equal request, or one of the execution.
 * `identity` is the body as it is recognised when it is repeated. Notes an issue where two items of
 * this run give one key to different requests: the gateway would give both the same task.
 */
export function readTaskKey(
	item: ItemReader,
	run: Run,
	identity: JsonObject,
	{ isFallback = false }: { isFallback?: boolean } = {},
): TaskKey | undefined {
	const ownKey = item.option(idempotencyKey);
	if (ownKey && isFallback) return { ...KEPT, key: `${ownKey}-${String(identity.model)}` };
	if (ownKey) {
		const rival = findRival(ownKey, identity, item, run);
		if (rival !== undefined)
			item.addIssue(
				idempotencyKey.name,
				`Idempotency Key ${ownKey} is also the key of item ${rival}, which asks for something else`,
			);
		return { ...KEPT, key: ownKey };
	}
	const origin = originOf(item.context, item.index, run.runIndex);
	if (item.option(reuseEqualRequests)) {
		const key = idempotencyKeys.reusable(origin, identity, countEqual(item, identity, run));
		return { ...KEPT, key };
	}
	return { ...idempotencyKeys.acquire(origin, identity), spansExecutions: false };
}

/** The item of this run that has the same key for another request; equal requests may share their task. */
function findRival(
	key: string,
	identity: JsonObject,
	{ index }: ItemReader,
	run: Run,
): number | undefined {
	const uses = run.share(
		'idempotencyKeys',
		() => new Map<string, { index: number; body: string }>(),
	);
	const body = canonicalJson(identity);
	const first = uses.get(key) ?? { index, body };
	uses.set(key, first);
	return first.body === body ? undefined : first.index;
}

/** How many items before this one have the same request. */
function countEqual({ index }: ItemReader, identity: JsonObject, run: Run): number {
	const items = run.share('equalRequests', () => new Map<string, Set<number>>());
	const body = canonicalJson(identity);
	const equal = items.get(body) ?? new Set();
	items.set(body, equal.add(index));
	return [...equal].indexOf(index);
}

/** Where a request comes from. */
export function originOf(
	context: IExecuteFunctions | ISupplyDataFunctions,
	itemIndex: number,
	runIndex: number,
): KeyOrigin {
	const node = context.getNode();
	const executionId = context.getExecutionId() || undefined;
	return {
		instanceId: context.getInstanceId(),
		workflowId: context.getWorkflow().id ?? '',
		executionId,
		// Where n8n keeps no execution it makes the node anew each time, with another ID.
		node: executionId === undefined ? node.name : node.id,
		runIndex,
		itemIndex,
		isTool: node.type.endsWith('Tool'),
	};
}
