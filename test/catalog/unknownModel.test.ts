import type { Media } from '../../nodes/catalog/families';
import { COMMON_FIELDS, PHOTO, validateBody, type Body } from '../support/validation';

/** The spec does not show its fields: those of section 2.2 are checked, all others pass. */
const UNKNOWN = 'zz-new-1';
const ASSET = 'asset://ast_01hzz=:1';
const fieldsOf = (issues: { field: string }[]) => issues.map(({ field }) => field);

it.each<[sentence: string, body: Body]>([
	['nothing at all', { prompt: undefined }],
	[
		'whatever it may take',
		{
			...COMMON_FIELDS,
			image_urls: [ASSET, 'data:image/png;base64,iVBOR'],
			n: 99,
			aspect_ratio: 'portrait',
			resolution: '9K',
			style: { deep: [1] },
		},
	],
])('accepts %s', (_sentence, body) => {
	expect(validateBody(UNKNOWN, body)).toEqual({ issues: [], warnings: [] });
});

it.each<[sentence: string, model: string, body: Body, field: string]>([
	['a number of images that is text', UNKNOWN, { n: '2' }, 'n'],
	['a model whose id is a slip away from a known one', 'Clipk_v3', {}, 'model'],
	['a callback that is no link', UNKNOWN, { callback_url: 'example.com' }, 'callback_url'],
	['an extra that is no object', UNKNOWN, { extra: [1] }, 'extra'],
])('refuses %s', (_sentence, model, body, field) => {
	expect(fieldsOf(validateBody(model, body).issues)).toEqual([field]);
});

describe('the action', () => {
	const BOTH = 'generate edit upscale variation blend';
	const listed: [Media, string][] = [
		['image', `${BOTH} image2image reference inpaint group interactive_edit search_grounded`],
		['video', `${BOTH} image2video first_last_frame reference_video extend`],
	];
	const warningsAbout = (action: string, media?: Media) =>
		fieldsOf(validateBody(UNKNOWN, { action, image_urls: [PHOTO] }, media).warnings);

	it.each(listed)('is one that section 2.2 lists for an %s', (media, actions) => {
		for (const action of actions.split(' ')) expect(warningsAbout(action, media)).toEqual([]);
	});
	it('is one of both media where nothing says which it creates', () => {
		for (const [, actions] of listed)
			for (const action of actions.split(' ')) expect(warningsAbout(action)).toEqual([]);
	});
	it('is sent with a warning when no list has it', () => {
		expect(warningsAbout('dream')).toEqual(['action']);
	});
});
