import { isObject, textAt } from './json';
import { hideSignatures } from './redact';

/** Where gateways, and what stands before them, say the reason. */
const REASONS = ['message', 'msg', 'detail', 'error', 'reason', 'data', 'title'];
const LONGEST_TEXT = 300;

/**
 * Reads an error of the gateway (spec section 7): `{error: {...}}`, `{error: "..."}`, `{errors}`, `{message}`,
 * `{detail}`, `{code, data}`, or text. Never throws.
 */
export function readErrorBody(body: unknown) {
	const whole = firstOf(body);
	if (typeof whole === 'string') {
		const words = whole.trim();
		if (!words || words.startsWith('<')) return {};
		return { message: hideSignatures(words.slice(0, LONGEST_TEXT)) };
	}
	const outer = isObject(whole) ? whole : {};
	const inner = firstOf(outer.error ?? outer.errors);
	const error = isObject(inner) ? inner : outer;
	const { code = typeof inner === 'number' ? inner : undefined, type } = error;
	const reason = findReason(error);
	return {
		// A gateway quotes the link that it could not open.
		message: reason && hideSignatures(reason),
		code: textOf(code),
		/** The field, on asset reference errors. */
		param: textOf(error.param ?? outer.param),
		/** In words, e.g. `payment_required`. */
		type: typeof type === 'string' ? type : undefined,
	};
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? (value[0] as unknown) : value);

const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

function findReason(error: Record<string, unknown>): string | undefined {
	const { detail, errors, error: inner } = error;
	const [first] = [detail, errors, inner].map(firstOf).filter(isObject);
	const found = REASONS.map((name) => textAt(error, name)).find(Boolean);
	return found ?? (first && findReason(first));
}
