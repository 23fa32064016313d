/**
 * Several lists as one that keeps the order of each: items of the same key become one, as long as no
 * order contradicts.
 */
export function mergeLists<T>(
	lists: readonly (readonly T[])[],
	keyOf: (item: T) => string,
	join: (first: T, second: T) => T,
): T[] {
	const merged: { key: string; item: T }[] = [];
	for (const list of lists) {
		let position = 0;
		let added: typeof merged = [];
		for (const item of list) {
			const key = keyOf(item);
			const index = merged.findIndex((other, at) => at >= position && other.key === key);
			if (index < 0) {
				added.push({ key, item });
				continue;
			}
			merged[index] = { key, item: join(merged[index]!.item, item) };
			merged.splice(index, 0, ...added);
			position = index + added.length + 1;
			added = [];
		}
		merged.push(...added);
	}
	return merged.map(({ item }) => item);
}
