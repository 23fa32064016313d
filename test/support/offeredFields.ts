/**
 * The one list of models in the tests, written by hand from sections 2.2, 2.3, 2.4 and 9: which fields the
 * panel offers for which model and action. Those with a plus are in Additional Fields, as `extra` is for
 * all. n8n marks those with "!" in red while they are empty: required texts and choices, and the prompt
 * without being named. A field without effect is not offered. A model with `extra_body` takes fields that nobody knows.
 */
export const OFFERED_FIELDS: Record<'image' | 'video', Record<string, Record<string, string>>> = {
	image: {
		'gmn-3-pro-image-preview': gmn('resolution +official_fallback'),
		'gmn-3-pro-image-preview-official': gmn('resolution'),
		// One resolution is no choice.
		'gmn-2.5-flash-image-preview': gmn('+resolution +official_fallback'),
		'gmn-2.5-flash-image-preview-official': gmn('+resolution'),
		'gmn-3.1-flash-image-preview': grounded('+official_fallback'),
		'gmn-3.1-flash-image-preview-official': grounded(''),
		...each(['flx-2-pro', 'flx-2-max'], flx('resolution')),
		'flx-2-flex': flx('resolution +steps +guidance'),
		...each(['flx-ctx-pro', 'flx-ctx-max'], flx('')),
		...each(['gx-imagine-image', 'gx-imagine-image-quality'], {
			generate: 'action prompt +n aspect_ratio resolution',
			edit: 'action prompt +n aspect_ratio resolution image_urls',
		}),
		'gx-imagine-image-2.0': {
			generate: 'action prompt +n aspect_ratio resolution quality',
			edit: 'action prompt +n aspect_ratio resolution image_urls',
		},
		'gx-imagine-image-2.0-rev': { generate: 'prompt +n aspect_ratio' },
		'gx-imagine-1.5-rev': { generate: 'prompt +n aspect_ratio image_urls' },
		'gx-imagine-1.5-edit-rev': {
			generate: 'action prompt +n',
			edit: 'action prompt +n image_urls',
		},
		...each(['qwn-image-2.0', 'qwn-image-2.0-pro'], {
			generate: 'action prompt +n +seed aspect_ratio resolution +negative_prompt',
			image2image: 'action prompt +n +seed aspect_ratio resolution +negative_prompt image_urls',
			reference: 'action prompt +n +seed aspect_ratio resolution +negative_prompt image_urls',
		}),
		'imgn-4.0': { generate: 'prompt +n +seed aspect_ratio' },
		'gp-4o-image': { generate: 'prompt size +n image_urls +mask_url' },
		...each(
			['qwn-image-3.0', 'zz-new-1'],
			common([
				'generate',
				'edit',
				'upscale',
				'variation',
				'blend',
				'image2image',
				'reference',
				'inpaint',
				'group',
				'interactive_edit',
				'search_grounded',
			]),
		),
	},
	video: {
		'clipk-video-o1': {
			generate: 'action prompt image_urls aspect_ratio resolution duration',
			image2video: 'action prompt first_frame_image image_urls resolution duration',
			first_last_frame: 'action prompt first_frame_image! last_frame_image! resolution duration',
			reference: 'action prompt image_urls resolution duration',
			reference_video: 'action prompt image_urls video_list +video_urls resolution duration',
		},
		'clipk-v3-omni': {
			generate: 'action prompt image_urls aspect_ratio resolution duration +audio +watermark',
			image2video:
				'action prompt first_frame_image image_urls resolution duration +audio +watermark',
			reference: 'action prompt image_urls resolution duration +audio +watermark',
			reference_video:
				'action prompt image_urls video_list +video_urls resolution duration +watermark',
		},
		'clipk-v3': {
			generate: 'action prompt image_urls aspect_ratio resolution duration +audio +watermark',
			image2video:
				'action prompt first_frame_image image_urls resolution duration +audio +watermark',
			first_last_frame:
				'action prompt first_frame_image! last_frame_image! resolution duration +audio +watermark',
		},
		'clipk-v2.6': {
			generate: 'action prompt image_urls aspect_ratio resolution duration +audio +watermark',
			image2video:
				'action prompt first_frame_image image_urls resolution duration +audio +watermark',
			first_last_frame:
				'action prompt first_frame_image! last_frame_image! resolution duration +watermark',
		},
		'pxv-v6': {
			generate:
				'action prompt +negative_prompt duration resolution aspect_ratio +seed image_urls first_frame_image last_frame_image ' +
				'+img_references +watermark +generate_audio +motion_mode +generate_multi_clip_switch',
			extend:
				'action prompt +negative_prompt duration resolution +seed +watermark +generate_audio +motion_mode ref_task_id!',
		},
		'gx-imagine-1.0-video': {
			generate: 'action prompt image_urls aspect_ratio resolution duration',
			image2video: 'action prompt image_urls resolution duration',
		},
		...each(['gx-imagine-video-1.5-rev', 'zz-new-1'], commonVideo()),
		...each(['sdn-2.0', 'sdn-2.0-fast', 'sdn-2.0-mini', 'sdn-2.5'], commonVideo(assetFields)),
	},
};

/** The model that no table has. */
const UNKNOWN_MODEL = 'zz-new-1';

/** All models of a media that are served. */
export const modelsOf = (media: 'image' | 'video'): string[] =>
	Object.keys(OFFERED_FIELDS[media]).filter((id) => id !== UNKNOWN_MODEL);

function each<T>(models: string[], what: T): Record<string, T> {
	return Object.fromEntries(models.map((model) => [model, what]));
}

function gmn(more: string): Record<string, string> {
	const always = `action prompt +n +seed aspect_ratio ${more}`;
	const withImages = `${always} image_urls`;
	return { generate: always, image2image: withImages, edit: withImages, reference: withImages };
}

function grounded(more: string): Record<string, string> {
	const searching = gmn(`resolution +google_search +google_image_search ${more}`);
	return { ...searching, search_grounded: searching.generate! };
}

function flx(more: string): Record<string, string> {
	const always = `action prompt aspect_ratio +n +seed +output_format +prompt_upsampling +safety_tolerance ${more}`;
	return { generate: always, edit: `${always} image_urls` };
}

function common(actions: string[], more = '+n'): Record<string, string> {
	return each(actions, `action prompt +seed aspect_ratio resolution image_urls extra_body ${more}`);
}

function commonVideo(moreOf: (action: string) => string = () => ''): Record<string, string> {
	const actions = [
		'generate',
		'edit',
		'upscale',
		'variation',
		'blend',
		'image2video',
		'first_last_frame',
		'reference_video',
		'extend',
	];
	return Object.assign({}, ...actions.map((action) => common([action], moreOf(action))));
}

/** What the spec gives to the asset-capable models; a video to work from or frames, as the name of the action says. */
function assetFields(action: string): string {
	const frames = ['generate', 'image2video', 'first_last_frame'].includes(action);
	const video = !['image2video', 'first_last_frame'].includes(action);
	return (
		(frames ? 'first_frame_image last_frame_image ' : '') +
		(frames ? '+first_frame_image_asset +last_frame_image_asset ' : '') +
		(video ? 'video_urls +video_assets ' : '') +
		'+audio_urls +image_with_roles +image_assets +audio_assets'
	);
}
