import { z } from 'zod';

/** Of what is not shown in the spec: a value of a wrong type counts as none. */
export const text = z.string().optional().catch(undefined);
export const count = z.number().optional().catch(undefined);
/** A charge: a whole number (spec section 1.5). Anything else, e.g. an amount in USD, is none. */
export const quota = z.number().int().nonnegative().optional().catch(undefined);
export const object = <Shape extends z.ZodRawShape>(schema: Shape) =>
	z.object(schema).passthrough();
export const optional = <Shape extends z.ZodTypeAny>(schema: Shape) =>
	schema.optional().catch(undefined as never);

/** The items that match the schema. */
export const listOf = <Shape extends z.ZodTypeAny>(schema: Shape) =>
	z
		.array(z.unknown())
		.catch([])
		.transform((elements) =>
			elements.flatMap((element) => {
				const parsed = schema.safeParse(element);
				return parsed.success ? [parsed.data as z.output<Shape>] : [];
			}),
		);
