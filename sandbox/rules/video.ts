/**
 * pxv-v6 and gx-imagine-1.0-video (section 2.3).
 *
 * | Sentence of the spec                                            | Read as |
 * |-----------------------------------------------------------------|---------|
 * | both frames or none; both make `duration` 5 or 8                | hard    |
 * | `extend` forbids images and frames, needs a completed pxv-v6 task of the account | hard |
 * | `img_references` 1-7: an empty list too                         | hard    |
 * | `n` is not supported on pxv-v6                                  | hard    |
 * | several `image_urls` on pxv-v6 (first only used)                | taken, with a warning |
 * | several media modes at once, `ref_task_id` under `generate`     | taken   |
 * | `aspect_ratio`, `generate_multi_clip_switch` "effective only"   | taken, with a warning |
 * | `duration` of pxv-v6 has no default in the spec                 | not required; 5 s here |
 * | `image2video` of gx-imagine-1.0-video without `image_urls`      | taken   |
 * | prices of pxv-v6                                                | not shown: sandbox-only |
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
	oneOf,
	prompt,
	text,
	whole,
} from './checks';
import { createFieldError, type ModelRule } from './rule';

const frameFields = ['first_frame_image', 'last_frame_image'];
const framedDurations: unknown[] = [5, 8];

const pxv: ModelRule = {
	kind: 'video',
	actions: ['generate', 'extend'],
	required: ['prompt'],
	defaults: {
		action: 'generate',
		resolution: '540p',
		watermark: false,
		generate_audio: false,
		generate_multi_clip_switch: false,
	},
	fields: {
		prompt: prompt(5000),
		negative_prompt: text(2048),
		duration: naming(framedDurations, whole(1, 15)),
		resolution: oneOf('360p', '540p', '720p', '1080p'),
		aspect_ratio: oneOf('16:9', '4:3', '1:1', '3:4', '9:16', '2:3', '3:2', '21:9'),
		seed: whole(0, 2_147_483_647),
		image_urls: links(),
		first_frame_image: link,
		last_frame_image: link,
		img_references: links(7, 1),
		watermark: flag,
		generate_audio: flag,
		motion_mode: oneOf('normal'),
		generate_multi_clip_switch: flag,
		ref_task_id: text(),
	},
	checkBetweenFields: (body, context) => {
		if (getAction(body) === 'extend') {
			for (const field of ['image_urls', 'img_references', ...frameFields]) {
				if (isGiven(body, field)) throw createFieldError(field, 'cannot be used under extend');
			}
			if (!isGiven(body, 'ref_task_id'))
				throw createFieldError('ref_task_id', 'is required under extend');
			if (!context.hasCompleted(String(body.ref_task_id), 'pxv-v6')) {
				throw createFieldError(
					'ref_task_id',
					'must be a completed pxv-v6 task of the same account',
				);
			}
			return;
		}
		const frames = frameFields.filter((field) => isGiven(body, field));
		if (frames.length === 1)
			throw createFieldError(frames[0] as string, 'must be sent together with the other frame');
		if (
			frames.length === 2 &&
			isGiven(body, 'duration') &&
			!framedDurations.includes(body.duration)
		) {
			throw createFieldError('duration', 'must be 5 or 8 with first and last frame');
		}
	},
	findIneffective: (body) => {
		const isExtended = getAction(body) === 'extend';
		const isFramed = frameFields.some((field) => isGiven(body, field));
		const images = count(body, 'image_urls');
		return namesWhere({
			aspect_ratio: isGiven(body, 'aspect_ratio') && (isExtended || isFramed || images > 0),
			generate_multi_clip_switch:
				body.generate_multi_clip_switch === true &&
				(isExtended || isFramed || count(body, 'img_references') > 0),
			image_urls: images > 1,
		});
	},
	calculatePrice: (body) =>
		getPxvRate(body) * (typeof body.duration === 'number' ? body.duration : 5),
	isPriced: false,
	priceConfig: {
		currency: 'USD',
		unit: 'second',
		silent: { '360p': 0.02, '540p': 0.03, '720p': 0.04, '1080p': 0.08 },
		audio: { '360p': 0.03, '540p': 0.04, '720p': 0.05, '1080p': 0.1 },
	},
};

function getPxvRate(body: Body): number {
	const tiers = pxv.priceConfig[body.generate_audio === true ? 'audio' : 'silent'] as Record<
		string,
		number
	>;
	const tier = typeof body.resolution === 'string' ? body.resolution : '540p';
	const rate = tiers[tier];
	if (rate === undefined) throw new Error(`sandbox/rules/video.ts has no price for ${tier}`);
	return rate;
}

const gxVideo: ModelRule = {
	kind: 'video',
	actions: ['generate', 'image2video'],
	required: ['prompt'],
	defaults: { action: 'generate', aspect_ratio: '16:9', resolution: '480p', duration: 6 },
	fields: {
		prompt: prompt(),
		aspect_ratio: oneOf('16:9', '9:16', '1:1', '3:2', '2:3'),
		resolution: oneOf('480p', '720p'),
		duration: whole(6, 30),
		image_urls: links(7),
	},
	findIneffective: (body) =>
		namesWhere({
			aspect_ratio:
				isGiven(body, 'aspect_ratio') &&
				(getAction(body) === 'image2video' || count(body, 'image_urls') > 0),
		}),
	calculatePrice: (body) => 0.0074375 * (typeof body.duration === 'number' ? body.duration : 6),
	isPriced: true,
	priceConfig: { currency: 'USD', unit: 'second', price: 0.0074375 },
};

export const video: Record<string, ModelRule> = {
	'pxv-v6': pxv,
	'gx-imagine-1.0-video': gxVideo,
};
