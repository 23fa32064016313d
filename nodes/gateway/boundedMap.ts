/** A map that evicts the least recently used values when it holds more than `most`. */
export class BoundedMap<Key, Value> {
	private readonly kept = new Map<Key, Value>();

	/** `isActive`: a value that is in use is never evicted. */
	constructor(
		private readonly most: number,
		private readonly options: { isActive?: (value: Value) => boolean } = {},
	) {}

	get(key: Key): Value | undefined {
		const value = this.kept.get(key);
		if (this.kept.delete(key)) this.kept.set(key, value!);
		return value;
	}

	/** Adds a value, or makes it the most recent. */
	set(key: Key, value: Value): Value {
		this.kept.delete(key);
		this.kept.set(key, value);
		for (const [other, kept] of this.kept) {
			if (this.kept.size <= this.most) break;
			if (other !== key && !this.options.isActive?.(kept)) this.kept.delete(other);
		}
		return value;
	}

	getOrCreate(key: Key, create: () => Value): Value {
		return this.get(key) ?? this.set(key, create());
	}

	delete(key: Key): void {
		this.kept.delete(key);
	}

	clear(): void {
		this.kept.clear();
	}
}
