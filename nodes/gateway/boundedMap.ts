interface Options<Value> {
	/** How much of `most` a value takes. Default: 1. */
	sizeOf?: (value: Value) => number;
	/** A value that is in use is never evicted. */
	isActive?: (value: Value) => boolean;
}

/** A map that evicts the least recently used values when it holds more than `most`. */
export class BoundedMap<Key, Value> {
	private readonly kept = new Map<Key, { value: Value; size: number }>();
	private size = 0;

	constructor(
		private readonly most: number,
		private readonly options: Options<Value> = {},
	) {}

	get(key: Key): Value | undefined {
		const found = this.kept.get(key);
		if (!found) return undefined;
		this.kept.delete(key);
		this.kept.set(key, found);
		return found.value;
	}

	/** Adds a value, or makes it the most recent. */
	set(key: Key, value: Value): Value {
		this.delete(key);
		const size = this.options.sizeOf?.(value) ?? 1;
		this.kept.set(key, { value, size });
		this.size += size;
		if (this.size > this.most) this.evict(key);
		return value;
	}

	getOrCreate(key: Key, create: () => Value): Value {
		return this.get(key) ?? this.set(key, create());
	}

	delete(key: Key): void {
		this.size -= this.kept.get(key)?.size ?? 0;
		this.kept.delete(key);
	}

	private evict(newest: Key): void {
		for (const [key, { value }] of this.kept) {
			if (this.size <= this.most) return;
			if (key !== newest && !this.options.isActive?.(value)) this.delete(key);
		}
	}

	clear(): void {
		this.kept.clear();
		this.size = 0;
	}
}
