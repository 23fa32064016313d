import { joinWords, toTitle } from '../labels';
import type { Field, Rule, Scalar, When } from '../schema';

/** What differs from the usual field, of the shapes that most families have. */
type More = Partial<Omit<Field, 'type' | 'description'>>;

/** What to make. */
export const prompt = (description: string, maxLength?: number): Field => ({
	type: 'string',
	required: true,
	maxLength,
	description,
});

/** One of several texts, at the top level of the panel. */
export const choice = (
	description: string,
	values: readonly string[],
	byDefault?: Scalar,
): Field => ({ type: 'string', primary: true, enum: values, default: byDefault, description });

/** A switch that is off. */
export const toggle = (description: string): Field => ({
	type: 'boolean',
	default: false,
	description,
});

/** Links to images. */
export const images = (description: string, more: More = {}): Field => ({
	type: 'links',
	media: 'image',
	primary: true,
	...more,
	description,
});

/** A link to one image. */
export const image = (description: string, more: More = {}): Field => ({
	...images(description, more),
	type: 'link',
});

/** The length of a video. */
export const seconds = (description: string, more: More): Field => ({
	type: 'integer',
	primary: true,
	unit: 's',
	...more,
	description,
});

/** Of a model without a stated price: what it depends on. */
export const unpriced = (description: string) => ({ per: 'unknown', description }) as const;

/** The rule that the action requires one of the fields, e.g. `Edit requires Image URLs`. */
export const requires = (action: string, ...anyOf: string[]): Rule => ({
	rule: 'requires',
	when: { action: [action] },
	anyOf,
	description: `${toTitle(action)} requires ${joinWords(anyOf.map(toTitle))}`,
});

/** The same rule under each of several conditions. */
export const underEach = <Rest extends Omit<Rule, 'when'>>(conditions: When[], rule: Rest) =>
	conditions.map((when) => ({ ...rule, when }));
