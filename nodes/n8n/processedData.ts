import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../gateway/boundedMap';
import { createLimiter, type Limiter } from '../gateway/concurrency';

/** For each node. n8n reads and writes the list as a whole. */
const MOST_SAVED = 4_000;
const MOST_NODES = 1_000;

interface Batch {
	entries: string[];
	/** Recorded before. */
	known: Promise<Set<string>>;
}

interface Queue {
	/** One at a time: n8n reads, adds and writes. */
	limit: Limiter;
	next?: Batch;
}

/** By node. */
const queues = new BoundedMap<string, Queue>(MOST_NODES, {
	isActive: ({ next }) => next !== undefined,
});

/**
 * Records entries of a node in n8n's table of processed data, which all processes share, and returns those
 * that were recorded before. Runs that ask while n8n writes share the next record. The table has no lock: of
 * two processes that write at once, the last one wins.
 * @param scope one for each node of each workflow
 * @throws for a workflow that is not saved
 */
export async function recordProcessed(
	node: IExecuteFunctions,
	scope: string,
	entries: readonly string[],
): Promise<Set<string>> {
	const queue = queues.getOrCreate(scope, () => ({ limit: createLimiter(1) }));
	const batch = (queue.next ??= createBatch(node, queue));
	batch.entries.push(...entries);
	return await batch.known;
}

function createBatch(node: IExecuteFunctions, queue: Queue): Batch {
	const entries: string[] = [];
	const options = { mode: 'entries', maxEntries: MOST_SAVED } as const;
	const known = queue.limit(async () => {
		// Lets `queue.next` be set first.
		await Promise.resolve();
		delete queue.next;
		const { processed } = await node.helpers.checkProcessedAndRecord(entries, 'node', options);
		return new Set(processed.map(String));
	});
	return { entries, known };
}
