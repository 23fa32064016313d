import type { Field } from '../../catalog/families';
import { escapeHtml, joinWords } from '../../catalog/labels';
import { describeLimits } from '../../catalog/limits';

/** A field as the table of some models states it. */
export interface Described {
	field: Field;
	/** None stands for the models that no table has. */
	models: readonly string[];
}

/**
 * What stands for the sentences of the tables where models share a property and describe it each in
 * words of its own. Without one here, only fields of the same words become one.
 */
const SHARED: Readonly<Record<string, string>> = {
	prompt: 'What to create, or what to change',
	image_urls: 'Links to images',
	watermark: 'Whether the video has a watermark',
};

/**
 * Whether models may share the field though their tables describe it differently. A text that refers to
 * other fields is written in another way, so that its description stays with its models.
 */
export const isSharedText = (name: string, described: readonly Described[]): boolean =>
	Object.hasOwn(SHARED, name) && !described.some(({ field }) => field.description.includes('<<<'));

/** The limits that no menu shows. */
function describeUnlisted(field: Field, hasMenu: boolean): string {
	const { min, max, ...others } = { ...field, enum: undefined };
	return describeLimits(hasMenu ? others : { ...others, min, max });
}

const MEDIA_NOTE = 'or a binary field';

const withNotes = (sentence: string, notes: readonly (string | false | undefined)[]): string => {
	const given = notes.filter(Boolean).join('; ');
	return escapeHtml(given ? `${sentence} (${given})` : sentence);
};

/** The description of one model's field with the limits that no menu shows. */
export const describeField = (field: Field, hasMenu: boolean): string =>
	withNotes(field.description, [field.media && MEDIA_NOTE, describeUnlisted(field, hasMenu)]);

/** What the sentence of a field without limits adds after a semicolon, e.g. `only the first is used`. */
const particularOf = ({ description }: Field): string =>
	description.split('; ').slice(1).join('; ');

/**
 * One description that holds for all of the models: that of their tables where it is the same, else
 * the shared sentence, with what is true for some of them beside their names.
 */
export function describeTogether(name: string, described: readonly Described[]): string {
	const texts = new Set(described.map(({ field }) => describeField(field, false)));
	if (texts.size === 1) return [...texts][0]!;
	const byNote = new Map<string, string[]>();
	for (const { field, models } of described) {
		const note = describeUnlisted(field, false) || particularOf(field);
		if (note) byNote.set(note, [...(byNote.get(note) ?? []), ...models]);
	}
	const notes = [...byNote].map(([note, models]) => `${joinWords(models, 'and')}: ${note}`);
	const isMedia = described.some(({ field }) => field.media);
	return withNotes(SHARED[name]!, [isMedia && MEDIA_NOTE, ...notes]);
}
