import { z } from 'zod';

/** What the gateway says when it refuses: spec section 7. */
export interface Refusal {
  message?: string;
  type?: string;
  code?: string;
  /** The offending field, on asset reference errors. */
  param?: string;
}

const text = z
  .union([z.string(), z.number()])
  .transform(String)
  .optional()
  .catch(undefined);
const Envelope = z.object({ message: text, type: text, code: text, param: text }).passthrough();

/** Reads `{error: {...}}`, `{error: "..."}`, `{message}` or plain text; never fails. */
export function readRefusal(body: unknown): Refusal {
  if (typeof body === 'string') {
    const words = body.trim();
    return words && !words.startsWith('<') ? { message: words.slice(0, 300) } : {};
  }
  const outer = body as { error?: unknown } | null | undefined;
  const inner = typeof outer?.error === 'string' ? { message: outer.error } : (outer?.error ?? outer);
  const parsed = Envelope.safeParse(inner);
  if (!parsed.success) return {};
  const { message, type, code, param } = parsed.data;
  return { message, type, code, param };
}
