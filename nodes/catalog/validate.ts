import type { Field } from './families';
import { getLabel, joinWords } from './labels';
import { findLimitViolation } from './limits';
import { findLinkProblem } from './links';
import { getOwn } from './getOwn';
import { findRuleViolations, type RequestBody } from './rules';
import { getField, modelSpecs, type ModelSpec } from './modelSpec';
import { findTypeProblem } from './jsonTypes';

/** One thing to mend: `field` is the wire name, `message` names it as the panel shows it. */
export interface Issue {
	field: string;
	message: string;
}

/** `issues` stop the request; `advice` does not: the gateway accepts it, with the effect described. */
export interface ValidationResult {
	issues: Issue[];
	warnings: Issue[];
}

/** What the panel's Extra Body holds when it could not be read as JSON and merged. */
const EXTRA_BODY: Field = { type: 'object', description: '' };

const LINKS = new Set<Field['type']>(['link', 'links']);

/**
 * Why one value cannot be sent: type first, then links, then limits. The entries of an `open` model
 * may hold more than is known.
 */
function findValueProblems(value: unknown, field: Field, open: boolean): string[] {
	const type = findTypeProblem(value, field);
	if (type) return [type];
	const found: string[] = [];
	if (LINKS.has(field.type))
		for (const link of [value].flat()) found.push(findLinkProblem(link as string, field) ?? '');
	if (field.items)
		for (const entry of value as RequestBody[])
			found.push(...findItemProblems(entry, field.items, open));
	if (!field.otherwise) found.push(findLimitViolation(value, field)?.refusal ?? '');
	return found.filter(Boolean);
}

function findItemProblems(
	entry: RequestBody,
	parts: Record<string, Field>,
	open: boolean,
): string[] {
	const found = Object.entries(parts).flatMap(([name, part]) => {
		const label = `${getLabel(name, part)} (${name})`;
		if (name in entry)
			return findValueProblems(entry[name], part, open).map((what) => `in ${label}, ${what}`);
		return part.required ? [`${label} is missing`] : [];
	});
	const alien = open ? [] : Object.keys(entry).filter((name) => !Object.hasOwn(parts, name));
	const taken = joinWords(Object.keys(parts), 'and');
	return [...found, ...alien.map((name) => `${name} is not taken; an entry takes ${taken}`)];
}

const isBlank = (value: unknown) =>
	value === undefined || value === null || (typeof value === 'string' && !value.trim());

function describeDeprecation(spec: ModelSpec): string {
	const { word, successor } = spec.deprecated!;
	const instead = successor
		? `Use ${successor} instead`
		: `Choose another ${spec.media} model; none is named as its successor`;
	return `Model (model): ${spec.id} is ${word}, and calls to it are refused. ${instead}`;
}

/** The ids closest to one that no table knows, so that a typing slip is seen. */
export function findSimilarModels(id: string): string[] {
	const key = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
	return modelSpecs
		.filter((spec) => !spec.deprecated && key(spec.id) === key(id))
		.map(({ id: known }) => known);
}

/**
 * Holds a request body (without `model`) against the tables: spec sections 2.2, 2.3, 7 and 8.
 * Finds everything at once, throws nothing, and reads values literally: "5" is not 5.
 */
export function validate(spec: ModelSpec, body: RequestBody): ValidationResult {
	const issues: Issue[] = [];
	const warnings: Issue[] = [];
	if (spec.deprecated)
		return { issues: [{ field: 'model', message: describeDeprecation(spec) }], warnings };
	const name = (field: string) => `${getLabel(field, getField(spec, field))} (${field})`;
	const [similar] = spec.unknown ? findSimilarModels(spec.id) : [];
	if (similar)
		issues.push({
			field: 'model',
			message: `Model (model): ${spec.id} is not known; ${similar} is`,
		});

	for (const [field, value] of Object.entries(body)) {
		const known =
			getField(spec, field) ?? (spec.open && field === 'extra_body' ? EXTRA_BODY : undefined);
		if (!known) {
			if (spec.open) continue;
			const instead =
				getOwn(spec.refused, field) ?? `it takes ${joinWords(Object.keys(spec.fields), 'and')}`;
			issues.push({ field, message: `${name(field)} is not taken by ${spec.id}: ${instead}` });
			continue;
		}
		if (known.required && isBlank(value)) continue;
		for (const what of findValueProblems(value, known, spec.open))
			issues.push({ field, message: `${name(field)}: ${what}` });
		const odd =
			known.otherwise && !findTypeProblem(value, known)
				? findLimitViolation(value, known)
				: undefined;
		const usual = joinWords(known.enum ?? []);
		if (odd)
			warnings.push({
				field,
				message: `${name(field)}: ${odd.given} instead of ${usual}; ${known.otherwise}`,
			});
	}
	for (const [field, known] of Object.entries(spec.fields))
		if (known.required && isBlank(body[field]))
			issues.push({ field, message: `${name(field)} is empty, and ${spec.id} requires it` });

	for (const { field, problem, isWarning } of findRuleViolations(spec, body))
		(isWarning ? warnings : issues).push({ field, message: `${name(field)}${problem}` });
	return { issues: uniqueIssues(issues), warnings: uniqueIssues(warnings) };
}

/** Two rules may say the same of one field. */
const uniqueIssues = (found: Issue[]): Issue[] => [
	...new Map(found.map((issue) => [issue.message, issue])).values(),
];
