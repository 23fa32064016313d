import { z } from 'zod';

const FLOAT_BYTES = 4;

/** What `encoding_format: base64` gives. */
function decodeVector(base64: string): number[] {
	const bytes = Buffer.from(base64, 'base64');
	const length = Math.floor(bytes.length / FLOAT_BYTES);
	return Array.from({ length }, (_, at) => bytes.readFloatLE(at * FLOAT_BYTES));
}

const Entry = z.object({
	index: z.coerce.number().optional(),
	embedding: z.preprocess(
		(given) => (typeof given === 'string' ? decodeVector(given) : given),
		z.array(z.number()).min(1),
	),
});
const EmbeddingsResponse = z.object({
	model: z.string().optional().catch(undefined),
	data: z.array(Entry),
	usage: z.record(z.unknown()).optional().catch(undefined),
});

/** Vectors in the order of their inputs, and the tokens of the request: spec section 2.5. */
export type EmbeddingList = NonNullable<ReturnType<typeof readEmbeddings>>;

/** Reads an embedding list, in the order of `index`. Undefined when it is none. */
export function readEmbeddings(body: unknown) {
	const parsed = EmbeddingsResponse.safeParse(body);
	if (!parsed.success) return undefined;
	const { data, model, usage } = parsed.data;
	const places = new Set(data.map(({ index = 0 }) => index));
	// Without an index, or with the same one for all, their order counts. Otherwise one is missing.
	if (places.size > 1 && places.size < data.length) return undefined;
	const ordered = [...data].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
	if (new Set(data.map(({ embedding }) => embedding.length)).size > 1) return undefined;
	return { vectors: ordered.map(({ embedding }) => embedding), model, usage };
}
