const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once when the signal is aborted, or at once. The returned function cancels this. A signal gets
 * one listener for all callbacks: adding one walks through all others, slow with thousands of tasks.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
	if (!signal) return () => {};
	if (signal.aborted) {
		callback();
		return () => {};
	}
	const callbacks = listeners.get(signal) ?? new Set<() => void>();
	if (!listeners.has(signal)) {
		listeners.set(signal, callbacks);
		signal.addEventListener('abort', () => callbacks.forEach((each) => each()), { once: true });
	}
	const listener = () => callback();
	callbacks.add(listener);
	return () => void callbacks.delete(listener);
}
