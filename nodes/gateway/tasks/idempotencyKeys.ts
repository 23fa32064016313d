import { createHash } from 'crypto';
import { isObject } from '../json';
import { BoundedMap } from '../boundedMap';
import type { JsonObject } from '../context';

/** Where a submission comes from. */
export interface KeyOrigin {
	/** The n8n instance and the workflow: execution IDs of two instances are equal. */
	instanceId: string;
	workflowId: string;
	/** The first of a chain of retries; undefined where n8n keeps no execution, e.g. for tools of its own agents. */
	executionId: string | undefined;
	/** An ID, or the name where n8n gives a node a new ID each time. */
	node: string;
	runIndex: number;
	itemIndex: number;
}

const MOST_RETIRED = 10_000;

/** Sorted at every level, so that two ways to write the same body are the same body. */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_name, part: unknown) =>
		isObject(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);
}

const hash = (...parts: unknown[]): string =>
	`n8n-${createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 40)}`;

/** The key of a row: the same for a lost response, a retry of the client, Retry On Fail and Retry in the list. */
export function keyOfRow(origin: KeyOrigin, body: JsonObject): string {
	const { instanceId, workflowId, executionId, node, runIndex, itemIndex } = origin;
	return hash(instanceId, workflowId, executionId, node, runIndex, itemIndex, body);
}

/** The key of all equal requests of a node in one execution, whichever run or item they are of. */
export function keyOfExecution(origin: KeyOrigin, body: JsonObject): string {
	const { instanceId, workflowId, executionId, node } = origin;
	return hash('execution', instanceId, workflowId, executionId ?? '', node, body);
}

/** The key of the n-th equal request of a node, whatever the execution. */
export function keyOfEqualRequest(origin: KeyOrigin, body: JsonObject, ordinal: number): string {
	const { instanceId, workflowId, node } = origin;
	return hash('reuse', instanceId, workflowId, node, body, ordinal);
}

/** A part of a key that no key of a user contains: theirs has hexadecimal digits after each `%`. */
const suffix = (word: string) => `%${word}`;

/** The key of a user for another model. */
export const keyOfModel = (key: string, model: string): string =>
	`${encodeKey(key)}${suffix(`model-${encodeKey(model)}`)}`;

/**
 * A key as a header can carry it, different for different keys. n8n's HTTP client drops what is not
 * Latin and the spaces at the ends: such characters become `%` and the hexadecimal digits of their
 * UTF-8 bytes, and so does `%` itself.
 */
export const encodeKey = (key: string): string =>
	key.replace(/^ | $|[^\x20-\x24\x26-\x7e]/gu, (character) =>
		Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&'),
	);

/** The keys whose tasks ended without a result: the next submission gets a successor of the key. */
export class RetiredKeys {
	private readonly tasks = new BoundedMap<string, ReadonlySet<string>>(MOST_RETIRED);

	/** A task of the key ended without a result, so that the next try submits a new one. */
	retire(key: string, taskId: string): void {
		this.tasks.set(key, new Set(this.tasks.get(key)).add(taskId));
	}

	/** The key to send now: the key itself, or its n-th successor after n tasks that ended without a result. */
	current(key: string): string {
		const times = this.tasks.get(key)?.size ?? 0;
		return times ? `${key}${suffix(`retry-${times}`)}` : key;
	}
}
