import {
	FieldTypeSchema,
	GenericValueSchema,
	IRequestOptionsSimplifiedAuthSchema,
} from 'n8n-workflow';
import { z } from 'zod';

/*
 * n8n puts a tool behind a human review only if its schema is an instance of n8n's own zod. Another package
 * in n8n's nodes folder may bring a zod of its own, which is then what `zod` means here. n8n-workflow is
 * always n8n's, so the classes are those of its schemas.
 */
const union = GenericValueSchema as unknown as { options: object[] } | undefined;
const samples = [
	...(union?.options ?? []),
	...[FieldTypeSchema, IRequestOptionsSimplifiedAuthSchema].filter(Boolean),
];

const classOf = <Class>(name: string, otherwise: Class): Class =>
	(samples.find(({ constructor }) => constructor.name === name)?.constructor as Class) ?? otherwise;

export const hostZod = {
	string: classOf('ZodString', z.ZodString),
	number: classOf('ZodNumber', z.ZodNumber),
	boolean: classOf('ZodBoolean', z.ZodBoolean),
	enum: classOf('ZodEnum', z.ZodEnum),
	object: classOf('ZodObject', z.ZodObject),
};
