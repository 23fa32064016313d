import { createHash, randomUUID } from 'crypto';
import type { JsonObject } from '../context';

/** What makes a submission the same one when it is repeated. */
export interface KeyOrigin {
	/** The n8n instance and the workflow: execution IDs of two instances are equal. */
	instanceId: string;
	workflowId: string;
	/** Undefined where n8n keeps no execution, e.g. for tools of its own agents. */
	executionId: string | undefined;
	/** An ID, or the name where n8n gives a node a new ID each time. */
	node: string;
	runIndex: number;
	itemIndex: number;
	/** n8n counts each try of a tool as a run of its own, so the run index does not distinguish a repeat from a new call. */
	isTool: boolean;
}

/** The key of a submission for as long as it is under way. */
export interface KeyLease {
	key: string;
	/** To be called at the end: unless the result reached the user, the next try of the same gets the same key. */
	release: (isDelivered: boolean) => void;
	/** The key cannot be derived again, so it is remembered for the next try of the same. */
	isLent: boolean;
}

const REMEMBERED = 10_000;

/** Sorted at every level, so that two ways to write the same body are the same body. */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_name, part: unknown) =>
		typeof part === 'object' && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);
}

const hash = (...parts: unknown[]): string =>
	`n8n-${createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 40)}`;

/** Sets an entry as the newest of a map that forgets its oldest. */
function remember<T>(map: Map<string, T>, name: string, value: T): void {
	map.delete(name);
	map.set(name, value);
	if (map.size > REMEMBERED) map.delete(map.keys().next().value!);
}

/**
 * The Idempotency-Keys of this process (spec section 4, details 2): the same for a lost response, a retry
 * of the client, Retry On Fail and a job that a queue hands to another worker; another one for every
 * new execution. A task that ended without a result gives its key up to a successor.
 */
export class IdempotencyKeys {
	/** By the request of a tool: the key of a call whose result did not reach the user. */
	private readonly undelivered = new Map<string, string>();
	/** By key: the IDs of its tasks that ended without a result. */
	private readonly retired = new Map<string, ReadonlySet<string>>();

	/** The key of a submission of one execution. */
	acquire(origin: KeyOrigin, body: JsonObject): KeyLease {
		const { instanceId, workflowId, executionId, node, runIndex, itemIndex } = origin;
		const scope = hash(instanceId, workflowId, executionId ?? '', node, itemIndex, body);
		if (executionId !== undefined && !origin.isTool)
			return {
				key: hash(instanceId, workflowId, executionId, node, runIndex, itemIndex, body),
				release: () => undefined,
				isLent: false,
			};
		const lent = this.undelivered.get(scope);
		const key = lent ?? hash(scope, executionId === undefined ? randomUUID() : runIndex);
		const release = (isDelivered: boolean) => {
			if (isDelivered) this.undelivered.delete(scope);
			else remember(this.undelivered, scope, key);
		};
		return { key, release, isLent: true };
	}

	/** The key of the n-th equal request of a node, whatever the execution: it lands on what is paid already. */
	reusable(origin: KeyOrigin, body: JsonObject, ordinal: number): string {
		const { instanceId, workflowId, node } = origin;
		return hash('reuse', instanceId, workflowId, node, body, ordinal);
	}

	/** The key of all equal requests of a node in one execution, whichever run or item they are of. */
	ofExecution(origin: KeyOrigin, body: JsonObject): string {
		const { instanceId, workflowId, executionId, node } = origin;
		return hash('execution', instanceId, workflowId, executionId ?? '', node, body);
	}

	/** Notes that a task behind a key ended without a result, so that the next try submits a new one. */
	retire(key: string, taskId: string): void {
		remember(this.retired, key, new Set(this.retired.get(key)).add(taskId));
	}

	/** The key to send now: the key itself, or its n-th successor after n tasks that ended without a result. */
	current(key: string): string {
		const times = this.retired.get(key)?.size ?? 0;
		return toHeader(times ? `${key}-retry-${times}` : key);
	}
}

/**
 * A key as a header can carry it. n8n's HTTP client silently drops what is not Latin, so that the
 * rows "产品-7" and "订单-7" would share a task: such characters go as percent and the hex of their
 * UTF-8 bytes. Other keys stay as the user wrote them.
 */
function toHeader(key: string): string {
	return key.replace(/[^\x20-\x7e]/gu, (character) =>
		Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&'),
	);
}
