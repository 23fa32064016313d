import type { DataDeduplicationService } from 'n8n-core';

type Deduplicator = Parameters<typeof DataDeduplicationService.init>[0];

/** n8n's table of processed data, in memory: a list for each node, read and written whole as n8n does. */
export function createDeduplicator(): Deduplicator {
	const lists = new Map<string, string[]>();
	const keyOf: (...args: Parameters<Deduplicator['clearAllProcessedItems']>) => string = (
		scope,
		{ workflow, node },
	) => (scope === 'node' ? `${workflow.id} ${node?.id}` : `${workflow.id}`);
	const read = async (key: string) => {
		await Promise.resolve();
		return [...(lists.get(key) ?? [])];
	};
	return {
		async checkProcessedAndRecord(items, scope, context, { maxEntries = Infinity }) {
			const key = keyOf(scope, context, { mode: 'entries' });
			const list = await read(key);
			const known = new Set(list);
			const isProcessed = (item: unknown) => known.has(String(item));
			const [processed, fresh] = [items.filter(isProcessed), items.filter((i) => !isProcessed(i))];
			lists.set(key, [...list, ...fresh.map(String)].slice(-maxEntries));
			return { processed, new: fresh };
		},
		async removeProcessed(items, scope, context) {
			const key = keyOf(scope, context, { mode: 'entries' });
			const list = await read(key);
			lists.set(
				key,
				list.filter((item) => !items.map(String).includes(item)),
			);
		},
		async clearAllProcessedItems(...args) {
			lists.delete(keyOf(...args));
		},
		async getProcessedDataCount(...args) {
			return (await read(keyOf(...args))).length;
		},
	};
}
