/** A key of a few letters occurs in words that have nothing to do with it. */
const SHORTEST_SECRET = 8;
const REPLACEMENT = '[API key]';

/** The value with the secret blotted out in every text within it; the same value where there is none. */
export function redact<T>(value: T, secret: string): T {
	if (secret.length < SHORTEST_SECRET) return value;
	if (typeof value === 'string') return value.replaceAll(secret, REPLACEMENT) as T;
	if (typeof value !== 'object' || value === null) return value;
	// Vectors are long, and hold no text.
	if (Array.isArray(value) && typeof value[0] === 'number') return value;
	let isChanged = false;
	const entries = Object.entries(value).map(([name, part]: [string, unknown]) => {
		const redacted = redact(part, secret);
		isChanged ||= redacted !== part;
		return [name, redacted] as const;
	});
	if (!isChanged) return value;
	return (
		Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries)
	) as T;
}
