import type { OutputItem } from '../n8n/items/task';

/** Entries and characters that are kept at most, over all executions of this process. */
const MOST_ENTRIES = 20_000;
const MOST_CHARACTERS = 100_000_000;

interface Entry {
	items: OutputItem[];
	characters: number;
}

/**
 * Outputs of operations that are billed for every request, e.g. text: Retry On Fail runs the whole node
 * again, and what an earlier try has paid for is not asked for again. Only where the node retries, and
 * only until a try succeeds.
 */
export class OutputMemory {
	private readonly entries = new Map<string, Entry>();
	private characters = 0;

	get(key: string): OutputItem[] | undefined {
		return this.entries.get(key)?.items;
	}

	set(key: string, items: OutputItem[]): void {
		this.delete(key);
		const characters = JSON.stringify(items.map(({ json }) => json)).length;
		this.entries.set(key, { items, characters });
		this.characters += characters;
		while (this.entries.size > MOST_ENTRIES || this.characters > MOST_CHARACTERS)
			this.delete(this.entries.keys().next().value!);
	}

	delete(key: string): void {
		this.characters -= this.entries.get(key)?.characters ?? 0;
		this.entries.delete(key);
	}
}

/** What this process remembers. */
export const outputMemory = new OutputMemory();
