import { getOwn } from './json';
import { getParameter } from './labels';
import type { Deprecation, Field, Fields, Rule } from './schema';

/** What the check needs to know of a request to a media model or a text endpoint. */
export interface RequestSpec {
	/** The model. */
	id: string;
	/** By wire name; `action` is one of them. */
	fields: Fields;
	/** Taken by every model (spec section 2.2). The panel has them under Options. */
	everyRequest?: Fields;
	rules: readonly Rule[];
	/** Often tried and never taken, with the reason. */
	refused?: Readonly<Record<string, string>>;
	/** Other fields pass unchecked: the spec does not show all fields of the model. */
	open: boolean;
	deprecated?: Deprecation;
	/** Why the ID, which no table has, is probably a mistake. */
	idProblem?: string;
}

/** Of the model, or of every request. */
export function getField(spec: RequestSpec, name: string): Field | undefined {
	return getOwn(spec.fields, name) ?? getOwn(spec.everyRequest ?? {}, name);
}

/**
 * A request to another model. A field that the gateway has renamed for one of the two keeps its parameter. To the
 * same model, what was saved under an old name gets the new one.
 */
export function toFieldsOf(
	to: RequestSpec,
	from: RequestSpec,
	body: Record<string, unknown>,
): Record<string, unknown> {
	const names = new Map(
		Object.entries(to.fields).map(([name, field]) => [getParameter(name, field), name]),
	);
	const toName = (name: string) => {
		const found = names.get(getParameter(name, getField(from, name)));
		const isTaken = found === undefined || (to === from && found in body);
		return isTaken ? name : found;
	};
	return Object.fromEntries(Object.entries(body).map(([name, value]) => [toName(name), value]));
}
