import { BoundedMap } from '../gateway/boundedMap';
import type { OutputItem } from '../n8n/items/task';

/** Characters of JSON in this process, and the least that an output counts for. */
const MOST_CHARACTERS = 100_000_000;
const LEAST_CHARACTERS = 5_000;

/**
 * Outputs of operations without a key, e.g. text. Retry On Fail runs the whole node again, and does not pay
 * again for what an earlier try has. Kept until a try succeeds, and only with Retry On Fail.
 */
export const outputMemory = new BoundedMap<string, OutputItem[]>(MOST_CHARACTERS, {
	sizeOf: (items) =>
		Math.max(LEAST_CHARACTERS, JSON.stringify(items.map(({ json }) => json)).length),
});
