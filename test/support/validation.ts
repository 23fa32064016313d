import { validate } from '../../nodes/catalog/validate';
import { getModelSpec } from '../../nodes/catalog/modelSpec';
import type { Media } from '../../nodes/catalog/families';

export type Body = Record<string, unknown>;

/** The rest of a test name, a model and a request body. A prompt is added unless the body has one. */
export type ValidationCase = [sentence: string, model: string, body: Body];
/** With the wire name of the field that the result names. */
export type ValidationFieldCase = [...ValidationCase, field: string];

export const PHOTO = 'https://example.com/photo.png';
export const CLIP = 'https://example.com/clip.mp4';
export const photos = (count: number): string[] =>
	Array.from({ length: count }, (_, at) => `https://example.com/photo-${at + 1}.png`);
export const textOfLength = (count: number): string => 'a'.repeat(count);

/** What every model takes beside its own fields: section 2.2. */
export const COMMON_FIELDS = {
	callback_url: 'https://example.com/hook',
	callback_events: ['completed', 'failed'],
	extra: { style: 'sketch' },
};

export function validateBody(
	model: string,
	body: Body,
	media?: Media,
): ReturnType<typeof validate> {
	const given = Object.entries({ prompt: 'a red kite', ...body }).filter(
		([, value]) => value !== undefined,
	);
	return validate(getModelSpec(model, media), Object.fromEntries(given));
}

const fieldsOf = (found: ReturnType<typeof validate>['issues']) => [
	...new Set(found.map(({ field }) => field)),
];

/** Accepted without an issue or a warning. */
export function acceptsAll(cases: ValidationCase[]): void {
	it.each(cases)('accepts %s', (_sentence, model, body) => {
		expect(validateBody(model, body)).toEqual({ issues: [], warnings: [] });
	});
}

/** Accepted, with a warning about this field. */
export function warnsAbout(cases: ValidationFieldCase[]): void {
	it.each(cases)('accepts with a warning %s', (_sentence, model, body, field) => {
		const { issues, warnings } = validateBody(model, body);
		expect(issues).toEqual([]);
		expect(fieldsOf(warnings)).toEqual([field]);
	});
}

/** Refused, with issues about this field only. */
export function refusesAll(cases: ValidationFieldCase[]): void {
	it.each(cases)('refuses %s', (_sentence, model, body, field) => {
		const { issues } = validateBody(model, body);
		expect(fieldsOf(issues)).toEqual([field]);
	});
}
