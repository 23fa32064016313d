import { getOwn } from './getOwn';
import type { Deprecation, Field, Rule } from './schema';

type Fields = Readonly<Record<string, Field>>;

/** What the check before sending knows of a request: to a media model, or to a text endpoint. */
export interface RequestSpec {
	/** The model, as messages name it. */
	id: string;
	/** By wire name; of a media model `action` is one of them. */
	fields: Fields;
	/** Taken beside `fields` whatever the model (spec section 2.2). The panel keeps them in Options. */
	everyRequest?: Fields;
	rules: readonly Rule[];
	/** Fields that are often tried and never taken, with the reason. */
	refused?: Readonly<Record<string, string>>;
	/** Other fields pass unchecked: the spec names the model without its fields, or not at all. */
	open: boolean;
	/** The gateway no longer serves the model. */
	deprecated?: Deprecation;
	/** No table has the ID, but one has an ID that differs only in case or punctuation. */
	similarId?: string;
}

/** The field as the request takes it: of the model, or of every request. */
export function getField(spec: RequestSpec, name: string): Field | undefined {
	return getOwn(spec.fields, name) ?? getOwn(spec.everyRequest ?? {}, name);
}
