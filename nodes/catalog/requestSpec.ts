import { getOwn } from './json';
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
	/** An ID of a table that differs only in case or punctuation. */
	similarId?: string;
}

/** Of the model, or of every request. */
export function getField(spec: RequestSpec, name: string): Field | undefined {
	return getOwn(spec.fields, name) ?? getOwn(spec.everyRequest ?? {}, name);
}
