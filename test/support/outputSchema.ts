import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv';
import type { IDataObject } from 'n8n-workflow';
import { outputSchemas, triggerSchema, type JsonSchema } from '../../scripts/schemas/outputSchemas';

/** The gateway's own answer is passed on, with whatever fields it has. */
const OPEN = ['audio'];

/** The schema with every object closed: a field that it does not name is an error. */
const close = ({ properties, items, ...schema }: JsonSchema): object => ({
	...schema,
	...(items && { items: close(items) }),
	...(properties && {
		properties: Object.fromEntries(
			Object.entries(properties).map(([name, property]) => [name, close(property)]),
		),
		additionalProperties: false,
	}),
});

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
const compiled = new Map<string, ValidateFunction>();

function schemaOf(resource: string, operation: string): ValidateFunction {
	const name = `${resource}/${operation}`;
	const schema = outputSchemas[resource]?.[operation];
	if (!schema) throw new Error(`There is no output schema of ${name}`);
	const known = compiled.get(name) ?? ajv.compile(OPEN.includes(resource) ? schema : close(schema));
	compiled.set(name, known);
	return known;
}

/** Neither a failure nor a report, which a parameter asks for in place of the results. */
const isResult = ({ error, dry_run, has_differences }: IDataObject) =>
	!error && !dry_run && has_differences === undefined;

/** Whether the items hold what the schema has, and no fields of their input. */
const isSimplified = ({ options, simplify }: IDataObject) => {
	const added = (options ?? {}) as IDataObject;
	return (added.simplify ?? simplify ?? true) === true && !('includeInput' in added);
};

function assertValid(
	validate: ValidateFunction,
	items: readonly IDataObject[],
	source: string,
): void {
	for (const json of items.filter(isResult))
		if (!validate(json))
			throw new Error(
				`${source} gave ${JSON.stringify(json)}: ${validate.errors!.map(describe).join(', ')}. Its fields are in scripts/schemas/outputSchemas.ts`,
			);
}

function describe({ instancePath, message, params }: ErrorObject): string {
	const { additionalProperty } = params as { additionalProperty?: string };
	return [instancePath, message, additionalProperty].filter(Boolean).join(' ');
}

/** Holds simplified items of an operation against the schema that is shipped for them. */
export function assertOutputSchema(parameters: IDataObject, items: readonly IDataObject[]): void {
	if (!isSimplified(parameters)) return;
	const [resource, operation] = [String(parameters.resource), String(parameters.operation)];
	assertValid(schemaOf(resource, operation), items, `${resource}/${operation}`);
}

const validateTrigger = ajv.compile(close(triggerSchema));

/** The same for the items with which the trigger starts a workflow. */
export function assertTriggerSchema(parameters: IDataObject, items: readonly IDataObject[]): void {
	if (isSimplified(parameters)) assertValid(validateTrigger, items, 'The trigger');
}
