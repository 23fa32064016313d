import { validate } from '../../nodes/catalog/validate';
import { getModelSpec } from '../../nodes/catalog/modelSpec';
import type { Media } from '../../nodes/catalog/families';

export type Body = Record<string, unknown>;

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
