import { assertRule, link, manyLinks } from '../../support/assertRule';

const clip = {
	video_url: 'https://example.com/a.mp4',
	refer_type: 'base',
	keep_original_sound: 'yes',
};

describe.each(['clipk-video-o1', 'clipk-v3-omni', 'clipk-v3', 'clipk-v2.6'])('%s', (model) => {
	const { takes, refuses } = assertRule({ model, prompt: 'a kite' });
	const multimodal = model === 'clipk-video-o1' || model === 'clipk-v3-omni';
	const four = model === 'clipk-v3' || model === 'clipk-v3-omni';

	it('takes a prompt, and all that every model of the family takes', () =>
		takes(
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
		await takes({ prompt: 'é'.repeat(2500) }, { prompt: '😀'.repeat(2500) });
		await refuses({ prompt: 'é'.repeat(2501) }, 'prompt');
		await refuses({ prompt: undefined }, 'prompt');
		await refuses({ prompt: '' }, 'prompt');
		await refuses({ prompt: 5 }, 'prompt');
	});

	it('refuses other ratios, resolutions and actions', async () => {
		await refuses({ aspect_ratio: '4:3' }, 'aspect_ratio');
		await refuses({ resolution: '540p' }, 'resolution');
		await refuses({ resolution: '4k' }, 'resolution');
		await refuses({ action: 'extend' }, 'action');
	});

	it(`${four ? 'takes' : 'refuses'} 4K`, () =>
		four ? takes({ resolution: '4K' }) : refuses({ resolution: '4K' }, 'resolution'));

	it('keeps to its durations, as JSON numbers', async () => {
		await (four
			? takes({ duration: 3 }, { duration: 15 })
			: takes({ duration: 5 }, { duration: 10 }));
		for (const duration of four ? [2, 16, 3.5, '5', null] : [3, 7, 15, '5', null])
			await refuses({ duration }, 'duration');
	});

	it('refuses what no model of the family takes', async () => {
		for (const field of ['n', 'seed', 'negative_prompt', 'quality', 'made_up'])
			await refuses({ [field]: 1 }, field);
	});

	it('refuses data URIs, base64, other protocols and asset references', async () => {
		await refuses({ image_urls: ['data:image/png;base64,AAAA'] }, 'image_urls');
		await refuses({ image_urls: ['iVBORw0KGgo='] }, 'image_urls');
		await refuses({ image_urls: ['ftp://example.com/a.png'] }, 'image_urls');
		await refuses({ image_urls: link }, 'image_urls');
		await refuses({ first_frame_image: 'data:image/png;base64,AAAA' }, 'first_frame_image');
	});

	it('image2video needs an image', async () => {
		await takes(
			{ action: 'image2video', image_urls: [link] },
			{ action: 'image2video', first_frame_image: link },
		);
		await refuses({ action: 'image2video' }, 'image_urls');
	});

	if (model === 'clipk-v3-omni') {
		it('has no first_last_frame', () =>
			refuses(
				{ action: 'first_last_frame', first_frame_image: link, last_frame_image: link },
				'action',
			));
	} else {
		it('first_last_frame needs both frames', async () => {
			await takes({ action: 'first_last_frame', first_frame_image: link, last_frame_image: link });
			await refuses({ action: 'first_last_frame', first_frame_image: link }, 'last_frame_image');
			await refuses({ action: 'first_last_frame', last_frame_image: link }, 'first_frame_image');
		});
	}

	if (multimodal) {
		it('references images and one clip', async () => {
			await takes(
				{ action: 'reference', image_urls: manyLinks(7) },
				{ action: 'reference_video', video_list: [clip] },
				{ action: 'reference_video', video_urls: [clip.video_url] },
				{ video_list: [{ video_url: clip.video_url }], prompt: 'like <<<image_9>>>' },
			);
			await refuses({ action: 'reference' }, 'image_urls');
			await refuses({ action: 'reference_video' }, 'video_list');
			await refuses({ video_list: [clip, clip] }, 'video_list');
			await refuses({ video_urls: [clip.video_url, clip.video_url] }, 'video_urls');
			await refuses({ video_list: [clip], video_urls: [clip.video_url] }, 'video_urls');
		});

		it('keeps to the shape of a clip', async () => {
			for (const part of [
				{ video_url: undefined },
				{ refer_type: 'style' },
				{ keep_original_sound: true },
				{ made_up: 1 },
			]) {
				await refuses({ video_list: [{ ...clip, ...part }] }, 'video_list');
			}
			await refuses({ video_list: clip }, 'video_list');
		});
	} else {
		it('takes no clips and no reference action', async () => {
			await refuses({ video_list: [clip] }, 'video_list');
			await refuses({ video_urls: [clip.video_url] }, 'video_urls');
			await refuses({ action: 'reference', image_urls: [link] }, 'action');
		});
	}

	if (model === 'clipk-video-o1') {
		it('takes neither audio nor watermark', async () => {
			await refuses({ audio: false }, 'audio');
			await refuses({ watermark: true }, 'watermark');
		});
	} else {
		it('takes audio and watermark as booleans', async () => {
			await takes({ audio: true, watermark: true });
			await refuses({ audio: 'true' }, 'audio');
		});
	}
});

describe('clipk-v3-omni', () => {
	const { takes, refuses } = assertRule({ model: 'clipk-v3-omni', prompt: 'a kite' });

	it('takes at most 7 images', () => refuses({ image_urls: manyLinks(8) }, 'image_urls'));

	it('has no audio with a reference video', async () => {
		await refuses({ audio: true, video_list: [clip] }, 'audio');
		await refuses({ audio: true, video_urls: [clip.video_url] }, 'audio');
		await takes({ audio: false, video_list: [clip] });
	});
});

describe('clipk-v2.6', () => {
	const { takes, refuses } = assertRule({ model: 'clipk-v2.6', prompt: 'a kite' });

	it('takes audio at 720p, without effect, but not with first_last_frame', async () => {
		await takes({ audio: true, resolution: '720p' });
		await refuses(
			{ audio: true, action: 'first_last_frame', first_frame_image: link, last_frame_image: link },
			'audio',
		);
	});
});

describe('what clipk costs', () => {
	const { holds } = assertRule({ prompt: 'a kite' });

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
	])('%j', async (body, usd) => expect(await holds(body)).toBe(Math.round(usd * 500_000)));
});
