import { validate, type ValidationResult } from '../../nodes/catalog/validate';
import { getModelSpec } from '../../nodes/catalog/modelSpec';
import type { Media } from '../../nodes/catalog/families';

export type Body = Record<string, unknown>;

/** What is asked of which model, as the rest of a sentence. The prompt is there unless the body says otherwise. */
export type Case = [sentence: string, model: string, body: Body];
/** With the field that the answer names. */
export type Named = [...Case, field: string];

export const PHOTO = 'https://example.com/photo.png';
export const CLIP = 'https://example.com/clip.mp4';
export const photos = (count: number): string[] =>
	Array.from({ length: count }, (_, at) => `https://example.com/photo-${at + 1}.png`);
export const letters = (count: number): string => 'a'.repeat(count);

/** What section 2.2 takes beside the fields of every model. */
export const BESIDE = {
	callback_url: 'https://example.com/hook',
	callback_events: ['completed', 'failed'],
	extra: { style: 'sketch' },
};

export function ask(model: string, body: Body, media?: Media): ValidationResult {
	const asked = Object.entries({ prompt: 'a red kite', ...body }).filter(
		([, value]) => value !== undefined,
	);
	return validate(getModelSpec(model, media), Object.fromEntries(asked));
}

const fieldsOf = (found: ValidationResult['issues']) => [
	...new Set(found.map(({ field }) => field)),
];

/** Sent as it is, and nothing to say about it. */
export function accepted(cases: Case[]): void {
	it.each(cases)('accepts %s', (_sentence, model, body) => {
		expect(ask(model, body)).toEqual({ issues: [], warnings: [] });
	});
}

/** Sent as it is, with a word about the field. */
export function advised(cases: Named[]): void {
	it.each(cases)('lets through with advice %s', (_sentence, model, body, field) => {
		const { issues, warnings } = ask(model, body);
		expect(issues).toEqual([]);
		expect(fieldsOf(warnings)).toEqual([field]);
	});
}

/** Not sent, and only this field is named. */
export function refused(cases: Named[]): void {
	it.each(cases)('refuses %s', (_sentence, model, body, field) => {
		const { issues } = ask(model, body);
		expect(fieldsOf(issues)).toEqual([field]);
	});
}
