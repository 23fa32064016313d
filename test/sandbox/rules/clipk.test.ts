import { createRuleAssertions, link, manyLinks } from '../../support/assertRule';

const clip = {
	video_url: 'https://example.com/a.mp4',
	refer_type: 'base',
	keep_original_sound: 'yes',
};

describe.each(['clipk-video-o1', 'clipk-v3-omni', 'clipk-v3', 'clipk-v2.6'])('%s', (model) => {
	const { assertAccepted, assertRefused } = createRuleAssertions({ model, prompt: 'a kite' });
	const multimodal = model === 'clipk-video-o1' || model === 'clipk-v3-omni';
	const four = model === 'clipk-v3' || model === 'clipk-v3-omni';

	it('takes a prompt, and all that every model of the family takes', () =>
		assertAccepted(
			{},
			{ aspect_ratio: '9:16', resolution: '1080p', duration: 10, image_urls: [link] },
			{ first_frame_image: link, last_frame_image: link },
			{
				callback_url: 'http://localhost/hook',
				callback_events: ['completed', 'failed'],
				extra: { a: 1 },
			},
		));

	it('wants a prompt of at most 2500 characters', async () => {
		await assertAccepted({ prompt: 'é'.repeat(2500) }, { prompt: '😀'.repeat(2500) });
		await assertRefused({ prompt: 'é'.repeat(2501) }, 'prompt');
		await assertRefused({ prompt: undefined }, 'prompt');
		await assertRefused({ prompt: '' }, 'prompt');
		await assertRefused({ prompt: 5 }, 'prompt');
	});

	it('refuses other ratios, resolutions and actions', async () => {
		await assertRefused({ aspect_ratio: '4:3' }, 'aspect_ratio');
		await assertRefused({ resolution: '540p' }, 'resolution');
		await assertRefused({ resolution: '4k' }, 'resolution');
		await assertRefused({ action: 'extend' }, 'action');
	});

	it(`${four ? 'takes' : 'refuses'} 4K`, () =>
		four
			? assertAccepted({ resolution: '4K' })
			: assertRefused({ resolution: '4K' }, 'resolution'));

	it('keeps to its durations, as JSON numbers', async () => {
		await (four
			? assertAccepted({ duration: 3 }, { duration: 15 })
			: assertAccepted({ duration: 5 }, { duration: 10 }));
		for (const duration of four ? [2, 16, 3.5, '5', null] : [3, 7, 15, '5', null])
			await assertRefused({ duration }, 'duration');
	});

	it('refuses what no model of the family takes', async () => {
		for (const field of ['n', 'seed', 'negative_prompt', 'quality', 'made_up'])
			await assertRefused({ [field]: 1 }, field);
	});

	it('refuses data URIs, base64, other protocols and asset references', async () => {
		await assertRefused({ image_urls: ['data:image/png;base64,AAAA'] }, 'image_urls');
		await assertRefused({ image_urls: ['iVBORw0KGgo='] }, 'image_urls');
		await assertRefused({ image_urls: ['ftp://example.com/a.png'] }, 'image_urls');
		await assertRefused({ image_urls: link }, 'image_urls');
		await assertRefused({ first_frame_image: 'data:image/png;base64,AAAA' }, 'first_frame_image');
	});

	it('image2video needs an image', async () => {
		await assertAccepted(
			{ action: 'image2video', image_urls: [link] },
			{ action: 'image2video', first_frame_image: link },
		);
		await assertRefused({ action: 'image2video' }, 'image_urls');
	});

	if (model === 'clipk-v3-omni') {
		it('has no first_last_frame', () =>
			assertRefused(
				{ action: 'first_last_frame', first_frame_image: link, last_frame_image: link },
				'action',
			));
	} else {
		it('first_last_frame needs both frames', async () => {
			await assertAccepted({
				action: 'first_last_frame',
				first_frame_image: link,
				last_frame_image: link,
			});
			await assertRefused(
				{ action: 'first_last_frame', first_frame_image: link },
				'last_frame_image',
			);
			await assertRefused(
				{ action: 'first_last_frame', last_frame_image: link },
				'first_frame_image',
			);
		});
	}

	if (multimodal) {
		it('references images and one clip', async () => {
			await assertAccepted(
				{ action: 'reference', image_urls: manyLinks(7) },
				{ action: 'reference_video', video_list: [clip] },
				{ action: 'reference_video', video_urls: [clip.video_url] },
				{ video_list: [{ video_url: clip.video_url }], prompt: 'like <<<image_9>>>' },
			);
			await assertRefused({ action: 'reference' }, 'image_urls');
			await assertRefused({ action: 'reference_video' }, 'video_list');
			await assertRefused({ video_list: [clip, clip] }, 'video_list');
			await assertRefused({ video_urls: [clip.video_url, clip.video_url] }, 'video_urls');
			await assertRefused({ video_list: [clip], video_urls: [clip.video_url] }, 'video_urls');
		});

		it('keeps to the shape of a clip', async () => {
			for (const part of [
				{ video_url: undefined },
				{ refer_type: 'style' },
				{ keep_original_sound: true },
				{ made_up: 1 },
			]) {
				await assertRefused({ video_list: [{ ...clip, ...part }] }, 'video_list');
			}
			await assertRefused({ video_list: clip }, 'video_list');
		});
	} else {
		it('takes no clips and no reference action', async () => {
			await assertRefused({ video_list: [clip] }, 'video_list');
			await assertRefused({ video_urls: [clip.video_url] }, 'video_urls');
			await assertRefused({ action: 'reference', image_urls: [link] }, 'action');
		});
	}

	if (model === 'clipk-video-o1') {
		it('takes neither audio nor watermark', async () => {
			await assertRefused({ audio: false }, 'audio');
			await assertRefused({ watermark: true }, 'watermark');
		});
	} else {
		it('takes audio and watermark as booleans', async () => {
			await assertAccepted({ audio: true, watermark: true });
			await assertRefused({ audio: 'true' }, 'audio');
		});
	}
});

describe('clipk-v3-omni', () => {
	const { assertAccepted, assertRefused } = createRuleAssertions({
		model: 'clipk-v3-omni',
		prompt: 'a kite',
	});

	it('takes at most 7 images', () => assertRefused({ image_urls: manyLinks(8) }, 'image_urls'));

	it('has no audio with a reference video', async () => {
		await assertRefused({ audio: true, video_list: [clip] }, 'audio');
		await assertRefused({ audio: true, video_urls: [clip.video_url] }, 'audio');
		await assertAccepted({ audio: false, video_list: [clip] });
	});
});

describe('clipk-v2.6', () => {
	const { assertAccepted, assertRefused } = createRuleAssertions({
		model: 'clipk-v2.6',
		prompt: 'a kite',
	});

	it('takes audio at 720p, without effect, but not with first_last_frame', async () => {
		await assertAccepted({ audio: true, resolution: '720p' });
		await assertRefused(
			{ audio: true, action: 'first_last_frame', first_frame_image: link, last_frame_image: link },
			'audio',
		);
	});
});

describe('what clipk costs', () => {
	const { getHold } = createRuleAssertions({ prompt: 'a kite' });

	it.each([
		[{ model: 'clipk-v2.6' }, 0.0391 * 5],
		[{ model: 'clipk-v2.6', resolution: '1080p', duration: 10, audio: true }, 0.159375 * 10],
		[{ model: 'clipk-v2.6', audio: true }, 0.0391 * 5],
		[{ model: 'clipk-v3', duration: 3 }, 0.0714 * 3],
		[{ model: 'clipk-v3', audio: true, resolution: '1080p' }, 0.1428 * 5],
		[{ model: 'clipk-v3', audio: true, resolution: '4K' }, 0.455345 * 5],
		[{ model: 'clipk-v3-omni', audio: true }, 0.0952 * 5],
		[{ model: 'clipk-v3-omni', video_list: [clip], resolution: '1080p' }, 0.1428 * 5],
		[{ model: 'clipk-video-o1', video_urls: [clip.video_url] }, 0.1071 * 5],
		[{ model: 'clipk-video-o1', resolution: '1080p' }, 0.0952 * 5],
	])('%j', async (body, usd) => expect(await getHold(body)).toBe(Math.round(usd * 500_000)));
});
