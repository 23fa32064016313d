import { getOwn, isBlank } from './json';
import type { Field, Fields } from './schema';
import { getLabel, joinWords, quote } from './labels';
import { findLimitProblem } from './limits';
import { FINDS_NOTHING, findLinkProblem } from './links';
import { findViolations, isWarning, type Issue, type RequestBody } from './rules';
import { getField, type RequestSpec } from './requestSpec';
import { findTypeProblem } from './jsonTypes';

/** Extra Body that is not JSON. */
const EXTRA_BODY: Field = { type: 'object', description: '' };

/** Why a value cannot be sent, after its label. Items of an `open` model may hold more than is known. */
function findValueProblems(label: string, value: unknown, field: Field, open: boolean): string[] {
	const typeProblem = value === undefined ? FINDS_NOTHING : findTypeProblem(value, field);
	if (typeProblem) return [`${label} ${typeProblem}`];
	const links = field.type === 'link' || field.type === 'links' ? [value].flat() : [];
	const problems = [
		...links.map((link) => findLinkProblem(link as string, field)),
		field.otherValues ? undefined : findLimitProblem(value, field),
	].filter((problem) => problem !== undefined);
	const { items } = field;
	return [
		...problems.map((problem) => `${label} ${problem}`),
		...(items
			? (value as RequestBody[]).flatMap((item) => findItemProblems(label, item, items, open))
			: []),
	];
}

function findItemProblems(
	list: string,
	item: RequestBody,
	fields: Fields,
	open: boolean,
): string[] {
	const problems = Object.entries(fields).flatMap(([name, field]) => {
		const label = `${getLabel(name, field)} in ${list}`;
		if (name in item) return findValueProblems(label, item[name], field, open);
		return field.required ? [`${label} is empty`] : [];
	});
	const unknown = open ? [] : Object.keys(item).filter((name) => !Object.hasOwn(fields, name));
	const taken = joinWords(Object.keys(fields), 'and');
	return [
		...problems,
		...unknown.map((name) => `An entry of ${list} does not take ${name}. It takes ${taken}`),
	];
}

const isEmpty = (value: unknown) => isBlank(typeof value === 'string' ? value.trim() : value);

function findModelProblem({ id, deprecated, idProblem }: RequestSpec): string | undefined {
	if (!deprecated) return idProblem;
	return `Model ${id} is ${deprecated.reason}. Use ${deprecated.replacement ?? 'another model'}`;
}

/** By its label, or as it was written where it is no wire name. */
export function describeUnknownField(spec: RequestSpec, name: string): string {
	const label = /^[a-z][a-z0-9_]*$/.test(name) ? getLabel(name, undefined) : quote(name);
	const hint =
		getOwn(spec.refused ?? {}, name) ?? `It takes ${joinWords(Object.keys(spec.fields), 'and')}`;
	return `${spec.id} does not take ${label}. ${hint}`;
}

/** The gateway accepts other values than the listed ones. */
function findFallbackWarning(label: string, value: unknown, field: Field): string | undefined {
	if (!field.otherValues || findTypeProblem(value, field)) return undefined;
	const problem = findLimitProblem(value, field, true);
	return problem && `${label} ${problem}. ${field.otherValues}`;
}

/**
 * Checks a request body (without `model`) against the tables: spec sections 2.2, 2.3, 7 and 8. Finds
 * everything at once, throws nothing, and reads values literally: "5" is not 5. `issues` stop the request.
 * `warnings` do not: the gateway accepts it, with this effect.
 */
export function validate(spec: RequestSpec, body: RequestBody) {
	const issues: Issue[] = [];
	const warnings: Issue[] = [];
	const modelProblem = findModelProblem(spec);
	if (modelProblem) issues.push({ field: 'model', message: modelProblem });
	if (spec.deprecated) return { issues, warnings };

	for (const [name, value] of Object.entries(body)) {
		const field =
			getField(spec, name) ?? (spec.open && name === 'extra_body' ? EXTRA_BODY : undefined);
		if (!field) {
			if (!spec.open) issues.push({ field: name, message: describeUnknownField(spec, name) });
			continue;
		}
		if (field.required && isEmpty(value)) continue;
		const label = getLabel(name, field);
		for (const message of findValueProblems(label, value, field, spec.open))
			issues.push({ field: name, message });
		const warning = findFallbackWarning(label, value, field);
		if (warning) warnings.push({ field: name, message: warning });
	}
	for (const [name, field] of Object.entries(spec.fields))
		if (field.required && isEmpty(body[name]))
			issues.push({ field: name, message: `${getLabel(name, field)} is empty` });

	/** Refused above. */
	const isMissing = ({ field }: Issue) => field in body && body[field] === undefined;
	for (const rule of spec.rules) {
		const found = findViolations(rule, spec, body).filter((issue) => !isMissing(issue));
		(isWarning(rule) ? warnings : issues).push(...found);
	}
	return { issues: uniqueIssues(issues), warnings: uniqueIssues(warnings) };
}

/** Two rules may have the same sentence. */
const uniqueIssues = (found: Issue[]): Issue[] => [
	...new Map(found.map((issue) => [issue.message, issue])).values(),
];
