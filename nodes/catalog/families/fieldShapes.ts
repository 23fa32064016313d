import type { Field, Scalar } from '../schema';

/** What differs from the usual field. */
type More = Partial<Omit<Field, 'type' | 'description'>>;

/** Shapes of fields that most families have. */
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
