import { createHash } from 'crypto';
import { isObject, type JsonObject } from '../json';
import { BoundedMap } from '../boundedMap';
import type { Clock } from '../context';
import type { Task } from './schema';

/** Where a submission comes from. */
export interface KeyOrigin {
	/** Execution IDs of two instances are equal. */
	instanceId: string;
	workflowId: string;
	/** The same in all Retries. Undefined where n8n keeps no execution. */
	execution: string | undefined;
	/** An ID, or the name where n8n gives a node a new ID each time. */
	node: string;
}

const MOST_RETIRED = 10_000;
/** The gateway keeps a key so long (spec section 4, details 2). */
export const KEY_MS = 24 * 3_600_000;

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

/**
 * The key of the n-th equal request of a node in one execution: the same after a lost response, a retry of the client,
 * Retry On Fail, and Retry in the list, also where the rows come in another order.
 */
export function keyOfRow(origin: KeyOrigin, body: JsonObject, number: string): string {
	const { instanceId, workflowId, execution, node } = origin;
	return hash('row', instanceId, workflowId, execution, node, number, body);
}

/** One key for equal requests of a node in one execution. */
export function keyOfExecution(origin: KeyOrigin, body: JsonObject): string {
	const { instanceId, workflowId, execution, node } = origin;
	return hash('execution', instanceId, workflowId, execution ?? '', node, body);
}

/** One key for the n-th equal request of a node in any execution. */
export function keyOfEqualRequest(origin: KeyOrigin, body: JsonObject, number: string): string {
	const { instanceId, workflowId, node } = origin;
	return hash('reuse', instanceId, workflowId, node, body, number);
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

interface RetiredKey {
	/** That ended without a result. */
	tasks: ReadonlySet<string>;
	/** When it, or its successor, was sent last. Unix milliseconds. */
	sentAt: number;
}

/**
 * Keys whose tasks ended without a result. The next submission uses a successor of the key, until the gateway has
 * forgotten both: then other processes use the key itself.
 */
export class RetiredKeys {
	private readonly keys = new BoundedMap<string, RetiredKey>(MOST_RETIRED);

	constructor(private readonly clock: Pick<Clock, 'now'>) {}

	retire(key: string, { taskId, createdAt = '' }: Pick<Task, 'taskId' | 'createdAt'>): void {
		const { tasks, sentAt = 0 } = this.find(key) ?? {};
		const now = this.clock.now();
		const ageMs = now - Date.parse(createdAt);
		// Else the clocks differ: the gateway would have forgotten an older one.
		const madeAt = ageMs > 0 && ageMs < KEY_MS ? now - ageMs : now;
		this.keys.set(key, { tasks: new Set(tasks).add(taskId), sentAt: Math.max(sentAt, madeAt) });
	}

	/** Whether the task has ended without a result. Without an ID: whether any task of the key has. */
	isRetired(key: string, taskId: string | undefined): boolean {
		const known = this.find(key);
		return known !== undefined && (taskId === undefined || known.tasks.has(taskId));
	}

	/** The key to send: itself, or its n-th successor after n tasks without a result. */
	use(key: string): string {
		const known = this.find(key);
		if (!known) return key;
		known.sentAt = this.clock.now();
		return `${key}${suffix(`retry-${known.tasks.size}`)}`;
	}

	private find(key: string): RetiredKey | undefined {
		const known = this.keys.get(key);
		return known && this.clock.now() - known.sentAt < KEY_MS ? known : undefined;
	}
}
