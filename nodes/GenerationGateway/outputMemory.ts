import { BoundedMap } from '../gateway/boundedMap';
import type { OutputItem } from '../n8n/items/task';

/** Characters of JSON that are kept at most, over all executions of this process, and those that an output counts at least. */
const MOST_CHARACTERS = 100_000_000;
const LEAST_CHARACTERS = 5_000;

/**
 * Outputs of operations that are billed for every request, e.g. text: Retry On Fail runs the whole node
 * again, and what an earlier try has paid for is not asked for again. Only where the node retries, and
 * only until a try succeeds.
 */
export const outputMemory = new BoundedMap<string, OutputItem[]>(MOST_CHARACTERS, {
	sizeOf: (items) =>
		Math.max(LEAST_CHARACTERS, JSON.stringify(items.map(({ json }) => json)).length),
});
