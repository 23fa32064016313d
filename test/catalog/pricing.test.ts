import { estimateCost, formatUsd, quotaToUsd, usdToQuota } from '../../nodes/catalog/pricing';
import { getModelSpec } from '../../nodes/catalog/modelSpec';

type Body = Record<string, unknown>;
type Priced = [sentence: string, model: string, body: Body, quota: number, usd: number];

const PHOTO = 'https://example.com/photo.png';
const CLIP = 'https://example.com/clip.mp4';
const costOf = (model: string, body: Body) =>
	estimateCost(getModelSpec(model), { prompt: 'a red kite', ...body });

function priced(cases: Priced[]): void {
	it.each(cases)('estimates %s', (_sentence, model, body, quota, usd) => {
		expect(costOf(model, body)).toEqual({ quota, usd });
	});
}

describe('images at a price for each', () => {
	priced([
		['gmn-3-pro-image-preview-official', 'gmn-3-pro-image-preview-official', {}, 56_950, 0.1139],
		['gmn-3-pro-image-preview', 'gmn-3-pro-image-preview', {}, 21_250, 0.0425],
		[
			'gmn-3.1-flash-image-preview-official',
			'gmn-3.1-flash-image-preview-official',
			{},
			28_475,
			0.05695,
		],
		[
			'gmn-3.1-flash-image-preview at a part of a quota, rounded up',
			'gmn-3.1-flash-image-preview',
			{},
			15_938,
			0.031876,
		],
		[
			'gmn-2.5-flash-image-preview-official',
			'gmn-2.5-flash-image-preview-official',
			{},
			16_575,
			0.03315,
		],
		[
			'gmn-2.5-flash-image-preview at a part of a quota, rounded up',
			'gmn-2.5-flash-image-preview',
			{},
			6_641,
			0.013282,
		],
		[
			'qwn-image-2.0-pro at a part of a quota, rounded up',
			'qwn-image-2.0-pro',
			{},
			26_563,
			0.053126,
		],
		['qwn-image-2.0', 'qwn-image-2.0', {}, 10_625, 0.02125],
		['imgn-4.0', 'imgn-4.0', {}, 21_250, 0.0425],
		['four images of gmn-3-pro-image-preview', 'gmn-3-pro-image-preview', { n: 4 }, 85_000, 0.17],
		[
			'eight images of gmn-2.5-flash-image-preview, rounded once for all',
			'gmn-2.5-flash-image-preview',
			{ n: 8 },
			53_125,
			0.10625,
		],
		[
			'the same price at 4K and with references',
			'gmn-3-pro-image-preview',
			{ action: 'reference', image_urls: [PHOTO], resolution: '4K' },
			21_250,
			0.0425,
		],
		['two images of qwn-image-2.0-pro', 'qwn-image-2.0-pro', { n: 2 }, 53_125, 0.10625],
		['three images of imgn-4.0', 'imgn-4.0', { n: 3 }, 63_750, 0.1275],
	]);
});

describe('clipk, by second and tier', () => {
	const video = { video_list: [{ video_url: CLIP }] };
	priced([
		['clipk-v2.6 by default: 5 s at 720p', 'clipk-v2.6', {}, 97_750, 0.1955],
		[
			'clipk-v2.6, 10 s at 1080p',
			'clipk-v2.6',
			{ resolution: '1080p', duration: 10 },
			332_050,
			0.6641,
		],
		[
			'clipk-v2.6 with audio, 10 s at 1080p',
			'clipk-v2.6',
			{ resolution: '1080p', duration: 10, audio: true },
			796_875,
			1.59375,
		],
		[
			'clipk-v2.6 with audio at 720p, where it is not effective',
			'clipk-v2.6',
			{ audio: true },
			97_750,
			0.1955,
		],
		[
			'clipk-v2.6 with audio that is off',
			'clipk-v2.6',
			{ resolution: '1080p', audio: false },
			166_025,
			0.33205,
		],
		['clipk-v3 by default', 'clipk-v3', {}, 178_500, 0.357],
		['clipk-v3, 3 s at 1080p', 'clipk-v3', { resolution: '1080p', duration: 3 }, 142_800, 0.2856],
		['clipk-v3, 10 s at 4K', 'clipk-v3', { resolution: '4K', duration: 10 }, 2_276_725, 4.55345],
		[
			'clipk-v3 with audio, 10 s at 720p',
			'clipk-v3',
			{ audio: true, duration: 10 },
			535_500,
			1.071,
		],
		[
			'clipk-v3 with audio, 10 s at 1080p',
			'clipk-v3',
			{ audio: true, resolution: '1080p', duration: 10 },
			714_000,
			1.428,
		],
		[
			'clipk-v3 with audio at 4K, the same as silent',
			'clipk-v3',
			{ audio: true, resolution: '4K', duration: 10 },
			2_276_725,
			4.55345,
		],
		['clipk-v3-omni, 15 s at 720p', 'clipk-v3-omni', { duration: 15 }, 535_500, 1.071],
		[
			'clipk-v3-omni, 10 s at 1080p',
			'clipk-v3-omni',
			{ resolution: '1080p', duration: 10 },
			476_000,
			0.952,
		],
		[
			'clipk-v3-omni, 10 s at 4K',
			'clipk-v3-omni',
			{ resolution: '4K', duration: 10 },
			2_276_725,
			4.55345,
		],
		[
			'clipk-v3-omni with audio, 10 s at 720p',
			'clipk-v3-omni',
			{ audio: true, duration: 10 },
			476_000,
			0.952,
		],
		[
			'clipk-v3-omni with audio, 10 s at 1080p',
			'clipk-v3-omni',
			{ audio: true, resolution: '1080p', duration: 10 },
			595_000,
			1.19,
		],
		[
			'clipk-v3-omni with a video, 10 s at 720p',
			'clipk-v3-omni',
			{ ...video, duration: 10 },
			535_500,
			1.071,
		],
		[
			'clipk-v3-omni with a video, 10 s at 1080p',
			'clipk-v3-omni',
			{ ...video, resolution: '1080p', duration: 10 },
			714_000,
			1.428,
		],
		[
			'clipk-v3-omni with a video in the short form',
			'clipk-v3-omni',
			{ video_urls: [CLIP], duration: 10 },
			535_500,
			1.071,
		],
		[
			'clipk-v3-omni with images only',
			'clipk-v3-omni',
			{ action: 'reference', image_urls: [PHOTO] },
			178_500,
			0.357,
		],
		['clipk-video-o1 by default', 'clipk-video-o1', {}, 178_500, 0.357],
		[
			'clipk-video-o1, 10 s at 1080p',
			'clipk-video-o1',
			{ resolution: '1080p', duration: 10 },
			476_000,
			0.952,
		],
		[
			'clipk-video-o1 with a video, 10 s at 720p',
			'clipk-video-o1',
			{ ...video, duration: 10 },
			535_500,
			1.071,
		],
		[
			'clipk-video-o1 with a video in the short form',
			'clipk-video-o1',
			{ video_urls: [CLIP], duration: 10 },
			535_500,
			1.071,
		],
		[
			'clipk-video-o1 with a video, 10 s at 1080p',
			'clipk-video-o1',
			{ ...video, resolution: '1080p', duration: 10 },
			714_000,
			1.428,
		],
	]);

	it.each([
		['clipk-v3-omni with audio at 4K', { audio: true, resolution: '4K' }],
		['clipk-v3-omni with a video at 4K', { video_urls: [CLIP], resolution: '4K' }],
	])('does not guess a price for %s, of which the spec states none', (_sentence, body) => {
		expect(costOf('clipk-v3-omni', body)).toEqual({
			unknown: 'No price is stated for this combination at 4K',
		});
	});
});

describe('gx-imagine-1.0-video, flat by second', () => {
	priced([
		['6 s by default', 'gx-imagine-1.0-video', {}, 22_313, 0.044626],
		['30 s', 'gx-imagine-1.0-video', { duration: 30 }, 111_563, 0.223126],
		[
			'8 s at 720p, the same as at 480p',
			'gx-imagine-1.0-video',
			{ duration: 8, resolution: '720p' },
			29_750,
			0.0595,
		],
	]);
});

it.each([
	'pxv-v6',
	'flx-2-pro',
	'flx-2-max',
	'flx-2-flex',
	'flx-ctx-pro',
	'flx-ctx-max',
	'gx-imagine-image',
	'gx-imagine-image-quality',
	'gx-imagine-image-2.0',
	'gx-imagine-image-2.0-rev',
	'gx-imagine-1.5-rev',
	'gx-imagine-1.5-edit-rev',
	'gp-4o-image',
	'qwn-image-3.0',
	'gx-imagine-video-1.5-rev',
	'sdn-2.0',
	'sdn-2.0-fast',
	'sdn-2.0-mini',
	'sdn-2.5',
	'zz-new-1',
])('says that no amount is stated for %s', (model) => {
	expect(costOf(model, { duration: 5 })).toEqual({ unknown: expect.stringMatching(/\w/) });
});

it.each([
	[
		'pxv-v6',
		'Tier of the resolution (540p when omitted) x seconds; Generate Audio moves to the audio tier; extend is billed on its own duration and resolution',
	],
	[
		'flx-2-max',
		'Price tier of the resolution (2mp when omitted) plus a fee for each reference image; tiers differ by model',
	],
	['flx-ctx-pro', 'One fixed price per image, no fee for references'],
	['gx-imagine-image', '(one price at 1k and 2k + price per reference x references) x images'],
	[
		'gx-imagine-image-quality',
		'(tier of the resolution + price per reference x references) x images',
	],
	[
		'gx-imagine-image-2.0',
		'Tier of resolution x quality x images + price per reference x references',
	],
	['gx-imagine-image-2.0-rev', 'One price per image, no fee for references'],
	['gp-4o-image', 'Quota is held by number of images'],
])('says how %s is billed, where the spec says how but not how much', (model, unknown) => {
	expect(costOf(model, {})).toEqual({ unknown });
});

describe('quota', () => {
	it('is 500,000 a dollar', () => {
		expect(usdToQuota(1)).toBe(500_000);
		expect(quotaToUsd(500_000)).toBe(1);
		expect(quotaToUsd(1)).toBe(0.000002);
	});
	it('is a whole number that never falls below the price', () => {
		expect(usdToQuota(0.0000021)).toBe(2);
		expect(usdToQuota(0.0000001)).toBe(1);
	});
	it('does not grow by floating-point errors', () => {
		expect(0.1 * 3).not.toBe(0.3);
		expect(usdToQuota(0.1 * 3)).toBe(150_000);
		expect(usdToQuota(0.0714 * 15)).toBe(535_500);
	});
});

it('takes the official price where the official channel may be used, so that a maximum is kept', () => {
	const withFallback = (model: string, n = 1) =>
		estimateCost(getModelSpec(model), { prompt: 'x', n, official_fallback: true });
	expect(withFallback('gmn-3-pro-image-preview')).toEqual({ quota: 56_950, usd: 0.1139 });
	expect(withFallback('gmn-3.1-flash-image-preview', 2)).toEqual({ quota: 56_950, usd: 0.1139 });
	expect(withFallback('gmn-2.5-flash-image-preview')).toEqual({ quota: 16_575, usd: 0.03315 });
});

describe('an amount on the screen', () => {
	it.each([
		[0, '$0.00'],
		[0.1, '$0.10'],
		[3, '$3.00'],
		[0.0425, '$0.0425'],
		[0.0074375, '$0.007437'],
		[1234.5, '$1234.50'],
		[0.000002, '$0.000002'],
	])('%f USD is %s', (amount, text) => {
		expect(formatUsd(amount)).toBe(text);
	});
});
