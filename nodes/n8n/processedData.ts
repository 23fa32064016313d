import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../gateway/boundedMap';
import { createLimiter, type Limiter } from '../gateway/concurrency';

/** For each node. n8n reads and writes the list as a whole. */
const MOST_SAVED = 4_000;
const MOST_NODES = 1_000;

interface Queue {
	/** One at a time: n8n reads, adds and writes. */
	limit: Limiter;
	/** Of the next record. */
	entries: string[];
	/** What the next record finds. */
	known?: Promise<Set<string>>;
}

/** By scope. */
const queues = new BoundedMap<string, Queue>(MOST_NODES, {
	isActive: ({ known }) => known !== undefined,
});

/** Names a node of a workflow. */
export const scopeOf = (node: Pick<IExecuteFunctions, 'getWorkflow' | 'getNode'>): string =>
	`${node.getWorkflow().id} ${node.getNode().id}`;

/**
 * Records entries in n8n's table of processed data, which all processes share, and returns those that were
 * recorded before. Runs that ask while n8n writes share the next record. The table has no lock: of two
 * processes that write at once, the last one wins. Throws for a workflow that is not saved.
 */
export async function recordProcessed(
	node: IExecuteFunctions,
	entries: readonly string[],
): Promise<Set<string>> {
	const queue = queues.getOrCreate(scopeOf(node), () => ({ limit: createLimiter(1), entries: [] }));
	queue.entries.push(...entries);
	queue.known ??= queue.limit(async () => {
		// Lets `queue.known` be set first.
		await Promise.resolve();
		delete queue.known;
		const due = queue.entries.splice(0);
		const options = { mode: 'entries', maxEntries: MOST_SAVED } as const;
		const { processed } = await node.helpers.checkProcessedAndRecord(due, 'node', options);
		return new Set(processed.map(String));
	});
	return await queue.known;
}
