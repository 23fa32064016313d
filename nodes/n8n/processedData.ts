import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../gateway/boundedMap';
import { createLimiter, type Limiter } from '../gateway/concurrency';

/** Of each node, what n8n's table of processed data keeps. It is read and written whole. */
const MOST_SAVED = 4_000;
const MOST_NODES = 1_000;

/** What is recorded together. */
interface Batch {
	entries: string[];
	/** Those that were recorded before. */
	known: Promise<Set<string>>;
}

interface Queue {
	/** One record at a time: n8n reads the list, adds to it and writes it. */
	limit: Limiter;
	/** The one that is recorded next. */
	next?: Batch;
}

/** By node. */
const queues = new BoundedMap<string, Queue>(MOST_NODES, {
	isActive: ({ next }) => next !== undefined,
});

/**
 * Records entries of a node in a table of n8n's own, which all processes share and no run overwrites, and
 * gives those that were recorded before. Runs that ask while n8n writes share the next record. The table
 * has no lock: of two processes that write at the same moment, the last one wins.
 * @param scope one for each node of each workflow
 * @throws what n8n throws, for a workflow that is not saved
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
		// The first one is begun before it is kept.
		await Promise.resolve();
		delete queue.next;
		const { processed } = await node.helpers.checkProcessedAndRecord(entries, 'node', options);
		return new Set(processed.map(String));
	});
	return { entries, known };
}
