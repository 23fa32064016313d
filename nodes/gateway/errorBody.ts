import { z } from 'zod';
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

const text = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined);
const word = z.string().optional().catch(undefined);
const Envelope = z
	.object({ message: text, code: text, param: text, type: word, data: z.unknown() })
	.passthrough();

/** Reads `{error: {...}}`, `{error: "..."}`, `{message}`, the legacy `{code, data}`, or plain text. Never throws. */
export function readErrorBody(body: unknown): ErrorBody {
	const { message, ...rest } = readParts(body);
	// A gateway quotes the link that it could not open.
	return { message: message && hideSignatures(message), ...rest };
}

function readParts(body: unknown): ErrorBody {
	if (typeof body === 'string') {
		const words = body.trim();
		return words && !words.startsWith('<') ? { message: words.slice(0, 300) } : {};
	}
	const outer = body as { error?: unknown } | null | undefined;
	const inner =
		typeof outer?.error === 'string' ? { message: outer.error } : (outer?.error ?? outer);
	const parsed = Envelope.safeParse(inner);
	if (!parsed.success) return {};
	const { message, data, code, param, type } = parsed.data;
	return {
		message: message ?? (typeof data === 'string' && data ? data : undefined),
		code,
		param,
		type,
	};
}
