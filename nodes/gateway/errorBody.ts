import { isObject } from './json';
import { hideSignatures } from './redact';

/** An error of the gateway: spec section 7. */
export interface ErrorBody {
	message?: string;
	code?: string;
	/** The field, on asset reference errors. */
	param?: string;
	/** In words, e.g. `payment_required`. */
	type?: string;
}

/** Where gateways, and what stands before them, say the reason. */
const REASONS = ['message', 'msg', 'detail', 'data', 'title'];
const LONGEST_TEXT = 300;

/**
 * Reads `{error: {...}}`, `{error: "..."}`, `{errors: [...]}`, `{message}`, `{detail}`, the legacy
 * `{code, data}`, or plain text. Never throws.
 */
export function readErrorBody(body: unknown): ErrorBody {
	const [whole] = [body].flat();
	if (typeof whole === 'string') {
		const words = whole.trim();
		return words && !words.startsWith('<') ? describe(words.slice(0, LONGEST_TEXT)) : {};
	}
	const outer = isObject(whole) ? whole : {};
	const [inner] = [outer.error ?? outer.errors].flat();
	const error = isObject(inner) ? inner : outer;
	return {
		...describe(textOf(inner) ?? findReason(error)),
		code: textOf(error.code),
		param: textOf(error.param),
		type: typeof error.type === 'string' ? error.type : undefined,
	};
}

/** A gateway quotes the link that it could not open. */
const describe = (message: string | undefined): ErrorBody => ({
	message: message && hideSignatures(message),
});

const textOf = (value: unknown): string | undefined =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** A text, or that of the first entry of a list. */
function findReason(error: Record<string, unknown>): string | undefined {
	const found = REASONS.map((name) => {
		const [first] = [error[name]].flat();
		return textOf(isObject(first) && name === 'detail' ? (first.msg ?? first.message) : first);
	});
	return found.find(Boolean);
}
