import {
	FieldTypeSchema,
	GenericValueSchema,
	IRequestOptionsSimplifiedAuthSchema,
} from 'n8n-workflow';
import { z } from 'zod';

/*
 * For a human review, the schema of a tool must be an instance of n8n's own zod. Another package in n8n's
 * nodes folder may bring its own zod, which is then `zod` here. So the classes are taken from schemas of
 * n8n-workflow.
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
