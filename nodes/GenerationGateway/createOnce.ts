/** A function that makes its result when it is first called, and gives the same from then on. */
export function createOnce<T>(create: () => T): () => T {
	let made: { result: T } | undefined;
	return () => (made ??= { result: create() }).result;
}

/**
 * Gives the object a member that is made when it is first read: n8n creates every node when it starts,
 * and reads the description of those that it shows. From then on it is a member like any other.
 */
export function defineOnRead<T extends object, Name extends keyof T>(
	target: T,
	name: Name,
	create: () => T[Name],
): void {
	const define = (value: T[Name]) =>
		Object.defineProperty(target, name, {
			value,
			writable: true,
			enumerable: true,
			configurable: true,
		});
	Object.defineProperty(target, name, {
		get: () => define(create())[name],
		set: define,
		enumerable: true,
		configurable: true,
	});
}
