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
		['one image by default', 'gmn-3-pro-image-preview', {}, 21_250, 0.0425],
		['four images', 'gmn-3-pro-image-preview', { n: 4 }, 85_000, 0.17],
		['a part of a quota, rounded up', 'gmn-2.5-flash-image-preview', {}, 6_641, 0.013282],
		['eight, rounded once for all', 'gmn-2.5-flash-image-preview', { n: 8 }, 53_125, 0.10625],
		[
			'the same price at 4K and with references',
			'gmn-3-pro-image-preview',
			{ action: 'reference', image_urls: [PHOTO], resolution: '4K' },
			21_250,
			0.0425,
		],
	]);
});

describe('videos, by second and tier', () => {
	const large = { resolution: '1080p', duration: 10 };
	priced([
		['5 s at 720p by default', 'clipk-v2.6', {}, 97_750, 0.1955],
		['10 s at 1080p', 'clipk-v2.6', large, 332_050, 0.6641],
		['audio', 'clipk-v2.6', { ...large, audio: true }, 796_875, 1.59375],
		['audio at 720p, where it is not effective', 'clipk-v2.6', { audio: true }, 97_750, 0.1955],
		['audio that is off', 'clipk-v2.6', { ...large, audio: false }, 332_050, 0.6641],
		[
			'audio at 4K, the same as silent',
			'clipk-v3',
			{ audio: true, resolution: '4K', duration: 10 },
			2_276_725,
			4.55345,
		],
		[
			'a reference video',
			'clipk-v3-omni',
			{ video_list: [{ video_url: CLIP }], duration: 10 },
			535_500,
			1.071,
		],
		[
			'a reference video in the short form',
			'clipk-video-o1',
			{ video_urls: [CLIP], duration: 10 },
			535_500,
			1.071,
		],
		[
			'images, as nothing',
			'clipk-v3-omni',
			{ action: 'reference', image_urls: [PHOTO] },
			178_500,
			0.357,
		],
		['one price for all sizes', 'gx-imagine-1.0-video', { resolution: '720p' }, 22_313, 0.044626],
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

it('says that no amount is stated for a model that no table has', () => {
	expect(costOf('zz-new-1', { duration: 5 })).toEqual({ unknown: expect.stringMatching(/\w/) });
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

it.each([
	['gmn-3-pro-image-preview', { quota: 56_950, usd: 0.1139 }],
	['gmn-3.1-flash-image-preview', { quota: 28_475, usd: 0.05695 }],
	['gmn-2.5-flash-image-preview', { quota: 16_575, usd: 0.03315 }],
])('takes the official price where %s may use the official channel', (model, price) => {
	expect({ model, ...costOf(model, { official_fallback: true }) }).toEqual({ model, ...price });
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
