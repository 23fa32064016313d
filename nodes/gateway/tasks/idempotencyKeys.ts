import { createHash, randomUUID } from 'crypto';

/** What makes a submission the same one when it is repeated. */
export interface KeyOrigin {
	/** Undefined outside a saved execution; then a repeat cannot be told from a new one. */
	executionId: string | undefined;
	nodeId: string;
	runIndex: number;
	itemIndex: number;
}

/** Sorted at every level, so that two ways to write the same body are the same body. */
function canonical(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(canonical);
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(entries.map(([name, part]) => [name, canonical(part)]));
}

/**
 * The Idempotency-Key of a submission (spec section 4, details 2): the same for a lost reply, a retry
 * in the transport, Retry On Fail and a job that a queue hands to another worker; another one for every
 * new execution.
 */
export function deriveKey(origin: KeyOrigin, body: unknown): string {
	const { executionId = randomUUID(), nodeId, runIndex, itemIndex } = origin;
	const text = JSON.stringify([executionId, nodeId, runIndex, itemIndex, canonical(body)]);
	return `n8n-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
}

const REMEMBERED = 10_000;

/** Sets an entry as the newest of a map that forgets its oldest. */
function remember<Kept>(map: Map<string, Kept>, name: string, kept: Kept): void {
	map.delete(name);
	map.set(name, kept);
	if (map.size > REMEMBERED) map.delete(map.keys().next().value!);
}

export interface Try {
	key: string;
	/** To be called with whether the result reached the user: where not, the next try of the same has the same key. */
	ended: (isDelivered: boolean) => void;
}

/** By execution, node, item and body: the key of a submission whose result did not reach the user. */
const undelivered = new Map<string, string>();

/**
 * The key of this submission, or that of the same one of an earlier try: where the node is a tool, n8n counts
 * each try of Retry On Fail as a run of its own, and the run is part of the key.
 */
export function acquireKey(origin: KeyOrigin, body: unknown): Try {
	const alike = deriveKey({ ...origin, runIndex: 0 }, body);
	const key = (origin.executionId && undelivered.get(alike)) || deriveKey(origin, body);
	return {
		key,
		ended: (isDelivered) =>
			isDelivered ? void undelivered.delete(alike) : remember(undelivered, alike, key),
	};
}

/** Per key, the IDs of its tasks that ended without a result. */
const ended = new Map<string, ReadonlySet<string>>();

/** Notes that a task behind a key ended without a result, so that the next try asks for a new one. */
export function retireKey(key: string, taskId: string): void {
	remember(ended, key, new Set(ended.get(key)).add(taskId));
}

/** The key to send now: the key itself, or its n-th successor after n tasks that ended without a result. */
export function currentKey(key: string): string {
	const times = ended.get(key)?.size ?? 0;
	return asHeader(times ? `${key}-retry-${times}` : key);
}

/**
 * A key as a header can carry it. n8n's HTTP client drops what is not Latin without a word, so that the
 * rows "产品-7" and "订单-7" would share a task, and "产品" would have no key at all: such characters go
 * as percent and the hex of their UTF-8 bytes. Other keys stay as the user wrote them.
 */
function asHeader(key: string): string {
	return key.replace(/[^\x20-\x7e]/gu, (character) =>
		Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&'),
	);
}
