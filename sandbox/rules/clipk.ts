/**
 * Family clipk (section 2.3).
 *
 * | Sentence of the spec                                         | Read as |
 * |--------------------------------------------------------------|---------|
 * | actions, resolutions, durations per model                    | hard    |
 * | `first_last_frame` requires both frames                      | hard    |
 * | action "pairs with" a media field: the field must be there   | hard    |
 * | the other way round: media fields under `generate`           | taken   |
 * | up to 7 `image_urls` on omni                                 | hard    |
 * | number of `image_urls` on the others                         | open    |
 * | `video_urls` single element, `video_list` at most 1, together at most 1 clip | hard |
 * | `audio` true with a reference video on omni                  | hard    |
 * | `audio` true with `first_last_frame` on v2.6                 | hard    |
 * | `audio` effective only at 1080p on v2.6                      | taken, with a warning |
 * | `aspect_ratio` text-to-video only                            | taken, with a warning |
 * | `<<<image_N>>>` beyond the list                              | taken, with a warning |
 * | size and format of reference files                           | not looked at |
 */
import type { Body } from '../settings';
import {
	getAction,
	count,
	flag,
	isGiven,
	link,
	links,
	namesWhere,
	naming,
	object,
	oneOf,
	prompt,
	whole,
	type Check,
} from './checks';
import { createFieldError, type ModelRule } from './rule';

const referTypes: unknown[] = ['base', 'feature'];
const sounds: unknown[] = ['yes', 'no'];

const clip: Check = (value, context) => {
	const objectFault = object(value, context);
	if (objectFault !== undefined) return objectFault;
	const { video_url, refer_type, keep_original_sound, ...rest } = value as Body;
	const fault = video_url === undefined ? 'need a video_url' : link(video_url, context);
	if (fault !== undefined) return fault;
	if (refer_type !== undefined && !referTypes.includes(refer_type)) {
		return 'take refer_type "base" or "feature"';
	}
	if (keep_original_sound !== undefined && !sounds.includes(keep_original_sound)) {
		return 'take keep_original_sound "yes" or "no"';
	}
	const [unknown] = Object.keys(rest);
	return unknown === undefined ? undefined : `do not take ${unknown}`;
};

const namedClips = [
	...referTypes.map((refer_type) => ({ refer_type })),
	...sounds.map((keep_original_sound) => ({ keep_original_sound })),
].map((named) => [{ video_url: 'https://example.com/a.mp4', ...named }]);

const clips = naming(namedClips, (value, context) => {
	if (!Array.isArray(value)) return 'must be an array of objects';
	if (value.length > 1) return 'must have at most 1 entry';
	const fault = value.length === 1 ? clip(value[0], context) : undefined;
	return fault === undefined ? undefined : `entries ${fault}`;
});

const hasClip = (body: Body): boolean => count(body, 'video_list') + count(body, 'video_urls') > 0;

function checkBetweenFields(body: Body): void {
	const { model } = body;
	const action = getAction(body);
	if (action === 'first_last_frame') {
		for (const field of ['first_frame_image', 'last_frame_image']) {
			if (!isGiven(body, field)) throw createFieldError(field, 'is required by first_last_frame');
		}
		if (model === 'clipk-v2.6' && body.audio === true) {
			throw createFieldError('audio', 'cannot be combined with first_last_frame');
		}
	}
	if (
		action === 'image2video' &&
		!isGiven(body, 'first_frame_image') &&
		count(body, 'image_urls') === 0
	) {
		throw createFieldError('image_urls', 'or first_frame_image is required by image2video');
	}
	if (action === 'reference' && count(body, 'image_urls') === 0) {
		throw createFieldError('image_urls', 'is required by reference');
	}
	if (action === 'reference_video' && !hasClip(body)) {
		throw createFieldError('video_list', 'is required by reference_video');
	}
	if (count(body, 'video_list') + count(body, 'video_urls') > 1) {
		throw createFieldError('video_urls', 'and video_list together carry at most 1 clip');
	}
	if (model === 'clipk-v3-omni' && body.audio === true && hasClip(body)) {
		throw createFieldError('audio', 'cannot be combined with video_list');
	}
}

/** "Text-to-video only": with a source, the video keeps its shape. */
const hasSource = (body: Body): boolean =>
	getAction(body) !== 'generate' ||
	['image_urls', 'video_list', 'video_urls'].some((field) => count(body, field) > 0) ||
	['first_frame_image', 'last_frame_image'].some((field) => isGiven(body, field));

/** `<<<image_N>>>` beyond the list. */
const refersTooFar = (body: Body): boolean =>
	[...String(body.prompt).matchAll(/<<<image_(\d+)>>>/g)].some(
		([, n]) => Number(n) < 1 || Number(n) > count(body, 'image_urls'),
	);

const severalImages: unknown[] = ['clipk-v3-omni', 'clipk-video-o1'];

const findIneffective = (body: Body): string[] =>
	namesWhere({
		aspect_ratio: isGiven(body, 'aspect_ratio') && hasSource(body),
		audio: body.model === 'clipk-v2.6' && body.audio === true && body.resolution !== '1080p',
		image_urls: !severalImages.includes(body.model) && count(body, 'image_urls') > 1,
		prompt: severalImages.includes(body.model) && refersTooFar(body),
	});

type Tiers = Record<string, number>;
interface Rates {
	silent: Tiers;
	audio?: Tiers;
	video?: Tiers;
}

const wide = { silent: { '720p': 0.0714, '1080p': 0.0952, '4K': 0.455345 } };
const referenced = { '720p': 0.1071, '1080p': 0.1428 };

function pricePerSecond(rates: Rates, body: Body): number {
	const tier = typeof body.resolution === 'string' ? body.resolution : '720p';
	const special = hasClip(body)
		? rates.video?.[tier]
		: body.audio === true
			? rates.audio?.[tier]
			: undefined;
	const rate = special ?? rates.silent[tier];
	if (rate === undefined) throw new Error(`sandbox/rules/clipk.ts has no price for ${tier}`);
	return rate;
}

const short = oneOf(5, 10);
const long = whole(3, 15);
const frames = { first_frame_image: link, last_frame_image: link };
const sound = { audio: flag, watermark: flag };
const videos = { video_urls: links(1), video_list: clips };

function createRule(
	actions: string[],
	resolutions: string[],
	rates: Rates,
	fields: Record<string, Check>,
): ModelRule {
	return {
		kind: 'video',
		actions,
		required: ['prompt'],
		defaults: {
			action: 'generate',
			aspect_ratio: '16:9',
			resolution: '720p',
			duration: 5,
			audio: false,
			watermark: false,
		},
		fields: {
			prompt: naming(['like <<<image_1>>>', 'like <<<image_2>>>'], prompt(2500)),
			aspect_ratio: oneOf('16:9', '9:16', '1:1'),
			resolution: oneOf(...resolutions),
			image_urls: links(),
			...frames,
			...fields,
		},
		checkBetweenFields,
		findIneffective,
		calculatePrice: (body) =>
			pricePerSecond(rates, body) * (typeof body.duration === 'number' ? body.duration : 5),
		isPriced: true,
		priceConfig: { currency: 'USD', unit: 'second', ...rates },
	};
}

const hd = ['720p', '1080p'];
const uhd = ['720p', '1080p', '4K'];

export const clipk: Record<string, ModelRule> = {
	'clipk-video-o1': createRule(
		['generate', 'image2video', 'first_last_frame', 'reference', 'reference_video'],
		hd,
		{ silent: { '720p': 0.0714, '1080p': 0.0952 }, video: referenced },
		{ duration: short, ...videos },
	),
	'clipk-v3-omni': createRule(
		['generate', 'image2video', 'reference', 'reference_video'],
		uhd,
		{ ...wide, audio: { '720p': 0.0952, '1080p': 0.119 }, video: referenced },
		{ duration: long, ...videos, ...sound, image_urls: links(7) },
	),
	'clipk-v3': createRule(
		['generate', 'image2video', 'first_last_frame'],
		uhd,
		{ ...wide, audio: { '720p': 0.1071, '1080p': 0.1428, '4K': 0.455345 } },
		{ duration: long, ...sound },
	),
	'clipk-v2.6': createRule(
		['generate', 'image2video', 'first_last_frame'],
		hd,
		{ silent: { '720p': 0.0391, '1080p': 0.06641 }, audio: { '1080p': 0.159375 } },
		{ duration: short, ...sound },
	),
};
