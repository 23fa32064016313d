/** A map that forgets the entry that was not used for the longest time when it holds more than `most`. */
export class BoundedMap<Key, Value> {
	private readonly entries = new Map<Key, Value>();

	constructor(private readonly most: number) {}

	get(key: Key): Value | undefined {
		const value = this.entries.get(key);
		if (value !== undefined) this.set(key, value);
		return value;
	}

	/** Adds the entry, or makes it the newest; gives the value. */
	set(key: Key, value: Value): Value {
		this.entries.delete(key);
		this.entries.set(key, value);
		if (this.entries.size > this.most) this.entries.delete(this.entries.keys().next().value!);
		return value;
	}

	getOrCreate(key: Key, create: () => Value): Value {
		return this.get(key) ?? this.set(key, create());
	}

	delete(key: Key): void {
		this.entries.delete(key);
	}
}
