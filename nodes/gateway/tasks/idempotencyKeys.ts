import { createHash } from 'crypto';
import { isObject, type JsonObject } from '../json';
import { BoundedMap } from '../boundedMap';

/** Where a submission comes from. */
export interface KeyOrigin {
	/** Execution IDs of two instances are equal. */
	instanceId: string;
	workflowId: string;
	/** The same in all Retries. Undefined where n8n keeps no execution. */
	execution: string | undefined;
	/** An ID, or the name where n8n gives a node a new ID each time. */
	node: string;
	runIndex: number;
	itemIndex: number;
}

const MOST_RETIRED = 10_000;

/** Sorted at every level, so that equal bodies are equal texts. */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_name, part: unknown) =>
		isObject(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);
}

const hash = (...parts: unknown[]): string =>
	`n8n-${createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 40)}`;

/** The key of a row: the same after a lost response, a retry of the client, Retry On Fail, and Retry in the list. */
export function keyOfRow(origin: KeyOrigin, body: JsonObject): string {
	const { instanceId, workflowId, execution, node, runIndex, itemIndex } = origin;
	return hash(instanceId, workflowId, execution, node, runIndex, itemIndex, body);
}

/** One key for equal requests of a node in one execution. */
export function keyOfExecution(origin: KeyOrigin, body: JsonObject): string {
	const { instanceId, workflowId, execution, node } = origin;
	return hash('execution', instanceId, workflowId, execution ?? '', node, body);
}

/** One key for the n-th equal request of a node in any execution. */
export function keyOfEqualRequest(origin: KeyOrigin, body: JsonObject, ordinal: number): string {
	const { instanceId, workflowId, node } = origin;
	return hash('reuse', instanceId, workflowId, node, body, ordinal);
}

/** No key of a user contains this: a `%` there is followed by hexadecimal digits. */
const suffix = (word: string) => `%${word}`;

/** The user's key for another model. */
export const keyOfModel = (key: string, model: string): string =>
	`${encodeKey(key)}${suffix(`model-${encodeKey(model)}`)}`;

/**
 * A key as a header can carry it. n8n's HTTP client drops other than Latin characters and spaces at the ends.
 * They become `%` and the hexadecimal digits of their UTF-8 bytes, as `%` itself does.
 */
export const encodeKey = (key: string): string =>
	key.replace(/^ | $|[^\x20-\x24\x26-\x7e]/gu, (character) =>
		Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&'),
	);

/** Keys whose tasks ended without a result. The next submission uses a successor of the key. */
export class RetiredKeys {
	private readonly tasks = new BoundedMap<string, ReadonlySet<string>>(MOST_RETIRED);

	retire(key: string, taskId: string): void {
		this.tasks.set(key, new Set(this.tasks.get(key)).add(taskId));
	}

	/** Whether the task has ended without a result. Without an ID: whether any task of the key has. */
	isRetired(key: string, taskId: string | undefined): boolean {
		const tasks = this.tasks.get(key);
		return tasks !== undefined && (taskId === undefined || tasks.has(taskId));
	}

	/** The key itself, or its n-th successor after n tasks without a result. */
	current(key: string): string {
		const times = this.tasks.get(key)?.size ?? 0;
		return times ? `${key}${suffix(`retry-${times}`)}` : key;
	}
}
