import { getLabel } from '../../nodes/catalog/labels';
import { getModelSpec } from '../../nodes/catalog/modelSpec';
import { getField } from '../../nodes/catalog/requestSpec';
import { validateBody, CLIP, textOfLength, PHOTO, photos } from '../support/validation';
import { OFFERED_FIELDS } from '../support/offeredFields';

type MessageCase = [model: string, body: Record<string, unknown>, message: string];

const issuesOf = (model: string, body: Record<string, unknown>) =>
	validateBody(model, body).issues.map(({ message }) => message);
const warningsOf = (model: string, body: Record<string, unknown>) =>
	validateBody(model, body).warnings.map(({ message }) => message);
const FRAMES = { first_frame_image: PHOTO, last_frame_image: PHOTO };

describe('the message of an issue', () => {
	it.each<MessageCase>([
		['clipk-v2.6', { resolution: '4K' }, 'Resolution must be 720p or 1080p, but is 4K'],
		['clipk-v3', { duration: 16 }, 'Duration must be 3 to 15, but is 16'],
		[
			'clipk-v3',
			{ prompt: textOfLength(2501) },
			'Prompt has 2,501 characters; at most 2,500 are allowed',
		],
		['clipk-v3', { prompt: ' ' }, 'Prompt is empty'],
		[
			'clipk-v3',
			{ action: 'image2video' },
			'First Frame Image and Image URLs are empty. Image to Video requires First Frame Image or Image URLs',
		],
		[
			'clipk-v3',
			{ action: 'first_last_frame', first_frame_image: PHOTO },
			'Last Frame Image is empty. First and Last Frame requires First Frame Image and Last Frame Image',
		],
		[
			'clipk-v3-omni',
			{ video_list: [{ video_url: CLIP }], audio: true },
			'Audio must be off. Audio and a reference video cannot be combined on clipk-v3-omni',
		],
		['clipk-v3-omni', { image_urls: photos(8) }, 'Image URLs has 8 entries; at most 7 are allowed'],
		['clipk-v3-omni', { video_urls: [CLIP, CLIP] }, 'Video URLs has 2 entries; only 1 is allowed'],
		[
			'clipk-v3-omni',
			{ video_list: [{ video_url: CLIP, refer_type: 'style' }] },
			'Refer Type in Video List must be base or feature, but is style',
		],
		[
			'clipk-v3-omni',
			{ video_list: [{ video_url: CLIP, sound: 'no' }] },
			'An entry of Video List does not take sound. It takes video_url, refer_type and keep_original_sound',
		],
		[
			'clipk-video-o1',
			{ watermark: true },
			'clipk-video-o1 does not take Watermark. It takes action, prompt, first_frame_image, last_frame_image, video_list, image_urls, video_urls, aspect_ratio, resolution and duration',
		],
		[
			'pxv-v6',
			{ ...FRAMES, duration: 7 },
			'Duration must be 5 or 8, but is 7. With first and last frame, the video lasts 5 or 8 seconds',
		],
		['pxv-v6', { img_references: [] }, 'Image References has no entries; 1 to 7 are allowed'],
		['pxv-v6', { n: 1 }, 'pxv-v6 does not take Number of Images. A task gives one result'],
		['flx-2-pro', { n: 2 }, 'Number of Images must be 1, but is 2'],
		['flx-2-pro', { image_urls: [PHOTO] }, 'Image URLs must be empty. Images need Mode Edit'],
		['flx-2-flex', { guidance: 11 }, 'Guidance must be 1.5 to 10, but is 11'],
		['gmn-2.5-flash-image-preview', { n: 0 }, 'Number of Images must be at least 1, but is 0'],
		['gmn-2.5-flash-image-preview', { seed: 0.5 }, 'Seed must be a whole number, but is 0.5'],
		[
			'gx-imagine-image-2.0',
			{ action: 'edit', image_urls: [PHOTO], quality: 'low' },
			'Quality must be empty. Quality cannot be combined with Edit or reference images',
		],
		[
			'gx-imagine-image',
			{ seed: 1 },
			'gx-imagine-image does not take Seed. Gx Imagine images have no seed',
		],
		[
			'qwn-image-2.0',
			{ action: 'image2image', image_urls: photos(2) },
			'Image URLs has 2 entries; only 1 is allowed. Image to Image takes one image; use Reference for several',
		],
		[
			'flx-2-pro',
			{ action: 'edit', image_urls: ['photo.png'] },
			'Image URLs must be public links (http:// or https://) or names of binary fields, but one is "photo.png"',
		],
		[
			'flx-2-pro',
			{ action: 'edit', image_urls: ['https://a.com/1.png, https://a.com/2.png'] },
			'Image URLs has several links in one text, "https://a.com/1.png, https://a.com/2.png". Give a list of them',
		],
		[
			'flx-2-pro',
			{ action: 'edit', image_urls: ['data:image/png;base64,iVBOR'] },
			'Image URLs must be public links, but one is a data URI. Put the file into a binary field of the item and give the name of that field',
		],
		[
			'flx-2-pro',
			{ action: 'edit', image_urls: ['iVBORw0KGgo'.repeat(20)] },
			'Image URLs must be public links, but one is base64 data. Put the file into a binary field of the item and give the name of that field',
		],
		[
			'flx-2-pro',
			{ action: 'edit', image_urls: ['asset://ast_01'] },
			'Image URLs does not take assets, but has "asset://ast_01". Give a public link',
		],
		[
			'sdn-2.0',
			{ image_urls: ['asset:ast_01'] },
			'Image URLs has "asset:ast_01", which is not of the form asset://<asset_id>',
		],
		[
			'sdn-2.0',
			{ image_urls: ['asset://ast_01/file'] },
			'Image URLs has "asset://ast_01/file", which is not of the form asset://<asset_id>',
		],
		[
			'sdn-2.0',
			{ image_urls: ['asset://{{$json.id}}'] },
			'Image URLs has "asset://{{$json.id}}", which is not of the form asset://<asset_id>',
		],
		[
			'sdn-2.0',
			{ extra_body: '{ "camera"' },
			'Extra Body must be a JSON object, but is "{ "camera""',
		],
		['clipk_v3', {}, 'Model clipk_v3 is unknown. Did you mean clipk-v3?'],
	])('%s %j', (model, body, message) => {
		expect(issuesOf(model, body)).toEqual([message]);
	});
});

it('gives the reason for each field that is often tried and never taken', () => {
	const body = { quality: 'low', negative_prompt: 'rain', watermark: true, mask_url: PHOTO };
	expect(issuesOf('flx-2-pro', body)).toEqual([
		'flx-2-pro does not take Quality. Flx models have no quality setting',
		'flx-2-pro does not take Negative Prompt. Describe in Prompt what the image should show',
		'flx-2-pro does not take Watermark. Flx models have no such setting',
		'flx-2-pro does not take Mask URL. Describe in Prompt which part to change',
	]);
});

describe('the message of a warning', () => {
	it.each<MessageCase>([
		['clipk-v2.6', { audio: true }, 'Audio has no effect at 720p on clipk-v2.6; use 1080p'],
		[
			'clipk-v3',
			{ image_urls: [PHOTO], aspect_ratio: '1:1' },
			'Aspect Ratio has no effect with images or videos: the result keeps the shape of its source',
		],
		[
			'clipk-v3',
			{ action: 'image2video', image_urls: [PHOTO], aspect_ratio: '1:1' },
			'Aspect Ratio has no effect with images or videos: the result keeps the shape of its source',
		],
		[
			'clipk-v3',
			{ image_urls: photos(2) },
			'Image URLs has 2 entries; only 1 is recommended. Only clipk-v3-omni and clipk-video-o1 work from several images',
		],
		[
			'clipk-v3-omni',
			{ prompt: '<<<image_2>>>', image_urls: [PHOTO] },
			'Prompt refers to <<<image_2>>>, but Image URLs has 1 entry. In Prompt, <<<image_N>>> refers to the N-th entry of Image URLs, starting at 1',
		],
		[
			'clipk-video-o1',
			{ prompt: '<<<image_0>>>', image_urls: photos(2) },
			'Prompt refers to <<<image_0>>>, but Image URLs has 2 entries. In Prompt, <<<image_N>>> refers to the N-th entry of Image URLs, starting at 1',
		],
		[
			'pxv-v6',
			{ image_urls: photos(2) },
			'Image URLs has 2 entries; only 1 is recommended. pxv-v6 uses only the first of Image URLs; use Image References for several',
		],
		[
			'flx-2-pro',
			{ resolution: '8mp' },
			'Resolution should be 1mp, 2mp, 3mp or 4mp, but is 8mp. It is billed at the price of 2mp',
		],
		[
			'gx-imagine-image',
			{ resolution: '4k' },
			'Resolution should be 1k or 2k, but is 4k. It is billed at the price of 1k',
		],
		[
			'gmn-3-pro-image-preview',
			{ action: 'reference', image_urls: photos(5) },
			'Image URLs has 5 entries; at most 4 are recommended. Reference works best with up to 4 images',
		],
		[
			'imgn-4.0',
			{ resolution: '2K' },
			'Resolution has no effect on imgn-4.0: images are always native 2K',
		],
		[
			'sdn-2.0',
			{ action: 'lip_sync' },
			'Mode should be generate, edit, upscale, variation, blend, image2video, first_last_frame, reference_video or extend, but is lip_sync. It is sent as it is',
		],
	])('%s %j', (model, body, message) => {
		expect(validateBody(model, body).issues).toEqual([]);
		expect(warningsOf(model, body)).toEqual([message]);
	});
});

describe('every message', () => {
	/** A body in which everything is invalidBody. */
	const invalidBody = {
		prompt: 5,
		action: 'zzz',
		n: '2',
		seed: 'x',
		aspect_ratio: 9,
		resolution: [],
		duration: '5',
		image_urls: 'x',
		first_frame_image: 5,
		last_frame_image: 'x',
		video_urls: [5],
		video_list: 'x',
		audio: 'x',
		watermark: 1,
		quality: 'x',
		size: 'x',
		mask_url: 5,
		negative_prompt: 5,
		img_references: [],
		extra: 'x',
		callback_url: 'x',
		sparkle: 1,
	};
	const models = Object.values(OFFERED_FIELDS).flatMap((of) => Object.keys(of));

	it.each(models)('names the field by its label, and carries its wire name, on %s', (model) => {
		const { issues } = validateBody(model, invalidBody);
		expect(issues.length).toBeGreaterThan(5);
		for (const { field, message } of issues) {
			expect(message).toContain(getLabel(field, getField(getModelSpec(model), field)));
			expect(message).not.toContain(`(${field})`);
		}
	});
	it.each(models)('does not blame the user, on %s', (model) => {
		for (const { message } of validateBody(model, invalidBody).issues)
			expect(message).not.toMatch(/error|problem|failure|mistake|invalid|undefined|\[object/i);
	});
	it('reports all issues at once, each sentence once', () => {
		const found = issuesOf('clipk-v2.6', invalidBody);
		expect(new Set(found).size).toBe(found.length);
		expect(
			new Set(validateBody('clipk-v2.6', invalidBody).issues.map(({ field }) => field)).size,
		).toBe(Object.keys(invalidBody).length);
	});
	it('cuts long texts', () => {
		const [message] = issuesOf('flx-2-pro', { output_format: textOfLength(5000) });
		expect(message).toBe(
			`Output Format must be jpeg, png or webp, but is "${textOfLength(60)}…" (5,000 characters)`,
		);
	});
});

it.each([
	'https://a.com/collage?src=https://b.com/1.png,https://c.com/2.png',
	'https://a.com/filters:watermark(x,https://b.com/1.png)/2.png',
	'https://a.com/w_100,h_100/https://b.com/1.png',
])('one link may hold others: %s', (link) => {
	expect(issuesOf('flx-2-pro', { action: 'edit', image_urls: [link] })).toEqual([]);
});
