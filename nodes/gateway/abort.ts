const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once when the signal is aborted, unless the returned function is called before. A signal
 * goes through all of its listeners for each one that is added or removed, which thousands of waiting
 * tasks cannot afford, so it gets one for all.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (!signal) return () => {};
	let callbacks = listeners.get(signal);
	if (!callbacks) {
		const added = new Set<() => void>();
		callbacks = added;
		listeners.set(signal, added);
		signal.addEventListener('abort', () => added.forEach((each) => each()), { once: true });
	}
	const listener = () => callback();
	callbacks.add(listener);
	return () => void callbacks.delete(listener);
}
