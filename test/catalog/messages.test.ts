import { ask, CLIP, letters, PHOTO, photos } from '../support/validated';
import { OFFERED } from '../support/offered';

type Said = [model: string, body: Record<string, unknown>, message: string];

const issueOf = (model: string, body: Record<string, unknown>) =>
	ask(model, body).issues.map(({ message }) => message);
const adviceOf = (model: string, body: Record<string, unknown>) =>
	ask(model, body).warnings.map(({ message }) => message);
const FRAMES = { first_frame_image: PHOTO, last_frame_image: PHOTO };

describe('what is said when a request is not sent', () => {
	it.each<Said>([
		[
			'clipk-v2.6',
			{ resolution: '4K' },
			'Resolution (resolution): "4K" is given, and 720p or 1080p is accepted',
		],
		['clipk-v3', { duration: 16 }, 'Duration (duration): 16 is given, and 3 to 15 is accepted'],
		[
			'clipk-v3',
			{ prompt: letters(2501) },
			'Prompt (prompt): 2501 characters are given, and at most 2500 are accepted',
		],
		['clipk-v3', { prompt: ' ' }, 'Prompt (prompt) is empty, and clipk-v3 requires it'],
		[
			'clipk-v3',
			{ action: 'image2video' },
			'First Frame Image (first_frame_image) is missing, and so is Image URLs: image2video works from First Frame Image or Image URLs',
		],
		[
			'clipk-v3',
			{ action: 'first_last_frame', first_frame_image: PHOTO },
			'Last Frame Image (last_frame_image) is missing: first_last_frame requires both First Frame Image and Last Frame Image',
		],
		[
			'clipk-v3-omni',
			{ video_list: [{ video_url: CLIP }], audio: true },
			'Audio (audio) cannot be sent here: on clipk-v3-omni, Audio and a reference video exclude each other',
		],
		[
			'clipk-v3-omni',
			{ image_urls: photos(8) },
			'Image URLs (image_urls): 8 entries are given, and at most 7 entries are accepted',
		],
		[
			'clipk-v3-omni',
			{ video_urls: [CLIP, CLIP] },
			'Video URLs (video_urls): 2 entries are given, and only one is accepted',
		],
		[
			'clipk-v3-omni',
			{ video_list: [{ video_url: CLIP, refer_type: 'style' }] },
			'Video List (video_list): in Refer Type (refer_type), "style" is given, and base or feature is accepted',
		],
		[
			'clipk-v3-omni',
			{ video_list: [{ video_url: CLIP, sound: 'no' }] },
			'Video List (video_list): sound is not taken; an entry takes video_url, refer_type and keep_original_sound',
		],
		[
			'clipk-video-o1',
			{ watermark: true },
			'Watermark (watermark) is not taken by clipk-video-o1: it takes action, prompt, first_frame_image, last_frame_image, image_urls, video_list, video_urls, aspect_ratio, resolution and duration',
		],
		[
			'pxv-v6',
			{ ...FRAMES, duration: 7 },
			'Duration (duration): 7 is given, and 5 or 8 is accepted; between first and last frame the video lasts 5 or 8 seconds',
		],
		[
			'pxv-v6',
			{ img_references: [] },
			'Image References (img_references): 0 entries are given, and 1 to 7 entries are accepted',
		],
		['pxv-v6', { n: 1 }, 'Number of Images (n) is not taken by pxv-v6: a task gives one result'],
		['flx-2-pro', { n: 2 }, 'Number of Images (n): 2 is given, and only 1 is accepted'],
		[
			'flx-2-pro',
			{ image_urls: [PHOTO] },
			'Image URLs (image_urls) cannot be sent here: generate takes no Image URLs; choose the action edit',
		],
		['flx-2-flex', { guidance: 11 }, 'Guidance (guidance): 11 is given, and 1.5 to 10 is accepted'],
		[
			'gmn-2.5-flash-image-preview',
			{ n: 0 },
			'Number of Images (n): 0 is given, and at least 1 is accepted',
		],
		[
			'gmn-2.5-flash-image-preview',
			{ seed: 0.5 },
			'Seed (seed): 0.5 is given, and a whole number is needed',
		],
		[
			'gx-imagine-image-2.0',
			{ action: 'edit', image_urls: [PHOTO], quality: 'low' },
			'Quality (quality) cannot be sent here: Quality is taken only under generate, and never with reference images',
		],
		[
			'gx-imagine-image',
			{ seed: 1 },
			'Seed (seed) is not taken by gx-imagine-image: results of the family cannot be repeated by seed',
		],
		[
			'qwn-image-2.0',
			{ action: 'image2image', image_urls: photos(2) },
			'Image URLs (image_urls): 2 entries are given, and only one is accepted; image2image takes 1 image, and several belong to the action reference',
		],
		[
			'flx-2-pro',
			{ action: 'edit', image_urls: ['photo.png'] },
			'Image URLs (image_urls): "photo.png" is neither a link nor a binary field of the item; give a public link that starts with http:// or https://',
		],
		[
			'flx-2-pro',
			{ action: 'edit', image_urls: ['data:image/png;base64,iVBOR'] },
			'Image URLs (image_urls): a data URI is given, and only public http(s) links are accepted; put the file into a binary field of the item and name that field here',
		],
		[
			'flx-2-pro',
			{ action: 'edit', image_urls: ['iVBORw0KGgo'.repeat(20)] },
			'Image URLs (image_urls): base64 is given, and only public http(s) links are accepted; put the file into a binary field of the item and name that field here',
		],
		[
			'flx-2-pro',
			{ action: 'edit', image_urls: ['asset://ast_01'] },
			'Image URLs (image_urls): "asset://ast_01" is an asset reference, which this model does not accept here; give a public http(s) link',
		],
		[
			'sdn-2.0',
			{ image_urls: ['asset:ast_01'] },
			'Image URLs (image_urls): "asset:ast_01" is not of the form asset://<asset_id>, e.g. asset://ast_01',
		],
		[
			'sdn-2.0',
			{ extra_body: '{ "camera"' },
			'Extra Body (extra_body): "{ "camera"" is given, and a JSON object is needed',
		],
		['clipk_v3', {}, 'Model (model): clipk_v3 is not known; clipk-v3 is'],
	])('%s %j', (model, body, message) => {
		expect(issueOf(model, body)).toEqual([message]);
	});
});

describe('what is said beside a request that is sent', () => {
	it.each<Said>([
		[
			'clipk-v2.6',
			{ audio: true },
			'Audio (audio) has no effect here: on clipk-v2.6, Audio is effective only at 1080p',
		],
		[
			'clipk-v3',
			{ image_urls: [PHOTO], aspect_ratio: '1:1' },
			'Aspect Ratio (aspect_ratio) has no effect here: Aspect Ratio counts for text to video only; references keep the shape of their source',
		],
		[
			'clipk-v3',
			{ action: 'image2video', image_urls: [PHOTO], aspect_ratio: '1:1' },
			'Aspect Ratio (aspect_ratio) has no effect here: Aspect Ratio counts for text to video only; references keep the shape of their source',
		],
		[
			'clipk-v3',
			{ image_urls: photos(2) },
			'Image URLs (image_urls): 2 entries are given; several images as reference are a feature of clipk-v3-omni and clipk-video-o1',
		],
		[
			'clipk-v3-omni',
			{ prompt: '<<<image_2>>>', image_urls: [PHOTO] },
			'Prompt (prompt) cites <<<image_2>>>, and Image URLs has 1 entry: <<<image_N>>> cites the N-th entry of Image URLs, and N starts at 1',
		],
		[
			'pxv-v6',
			{ image_urls: photos(2) },
			'Image URLs (image_urls): 2 entries are given; pxv-v6 uses only the first, and several images belong into Image References',
		],
		[
			'flx-2-pro',
			{ resolution: '8mp' },
			'Resolution (resolution): "8mp" is given instead of 1mp, 2mp, 3mp or 4mp; it is billed at the fallback price of 2mp',
		],
		[
			'gx-imagine-image',
			{ resolution: '4k' },
			'Resolution (resolution): "4k" is given instead of 1k or 2k; it is billed at the fallback price of 1k',
		],
		[
			'gmn-3-pro-image-preview',
			{ action: 'reference', image_urls: photos(5) },
			'Image URLs (image_urls): 5 entries are given; at most 4 reference images are recommended',
		],
		[
			'imgn-4.0',
			{ resolution: '2K' },
			'Resolution (resolution) has no effect here: imgn-4.0 always gives its native 2K, so Resolution is best left empty',
		],
		[
			'sdn-2.0',
			{ action: 'lip_sync' },
			'Action (action): "lip_sync" is given instead of generate, edit, upscale, variation, blend, image2video, first_last_frame, reference_video or extend; it is passed on as it is',
		],
	])('%s %j', (model, body, message) => {
		expect(ask(model, body).issues).toEqual([]);
		expect(adviceOf(model, body)).toEqual([message]);
	});
});

describe('every message', () => {
	/** A body in which everything is off. */
	const off = {
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
	const models = Object.values(OFFERED).flatMap((of) => Object.keys(of));

	it.each(models)('names the field by its label and its wire name, on %s', (model) => {
		const { issues } = ask(model, off);
		expect(issues.length).toBeGreaterThan(5);
		for (const { field, message } of issues)
			expect(message).toMatch(new RegExp(`^[A-Z][A-Za-z ]+ \\(${field}\\)`));
	});
	it.each(models)('does without words of blame, on %s', (model) => {
		for (const { message } of ask(model, off).issues)
			expect(message).not.toMatch(/error|problem|failure|mistake|invalid|undefined|\[object/i);
	});
	it('finds everything at once, and the same sentence once', () => {
		const found = issueOf('clipk-v2.6', off);
		expect(new Set(found).size).toBe(found.length);
		expect(new Set(ask('clipk-v2.6', off).issues.map(({ field }) => field)).size).toBe(
			Object.keys(off).length,
		);
	});
	it('repeats no whole file to the user', () => {
		const [message] = issueOf('flx-2-pro', { output_format: letters(5000) });
		expect(message).toBe(
			`Output Format (output_format): "${letters(59)}… (5002 characters) is given, and jpeg, png or webp is accepted`,
		);
	});
});
