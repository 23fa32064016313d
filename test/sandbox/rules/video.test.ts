import { clientOf } from '../../support/useSandbox';
import { assertRule, link, manyLinks } from '../../support/assertRule';

describe('pxv-v6', () => {
	const { visitor, takes, refuses, holds } = assertRule({ model: 'pxv-v6', prompt: 'a comet' });

	it('takes each of its modes', () =>
		takes(
			{},
			{
				negative_prompt: 'x'.repeat(2048),
				duration: 15,
				resolution: '360p',
				aspect_ratio: '21:9',
				seed: 0,
			},
			{ image_urls: manyLinks(3), generate_multi_clip_switch: true },
			{ first_frame_image: link, last_frame_image: link, duration: 8 },
			{ first_frame_image: link, last_frame_image: link },
			{
				img_references: manyLinks(7),
				watermark: true,
				generate_audio: true,
				motion_mode: 'normal',
			},
			{ image_urls: [link], aspect_ratio: '1:1' },
		));

	it('keeps to its limits', async () => {
		await refuses({ prompt: 'x'.repeat(5001) }, 'prompt');
		await refuses({ negative_prompt: 'x'.repeat(2049) }, 'negative_prompt');
		for (const duration of [0, 16, 2.5, '5']) await refuses({ duration }, 'duration');
		await refuses({ resolution: '4K' }, 'resolution');
		await refuses({ aspect_ratio: '9:21' }, 'aspect_ratio');
		await refuses({ seed: -1 }, 'seed');
		await refuses({ seed: 2_147_483_648 }, 'seed');
		await refuses({ motion_mode: 'fast' }, 'motion_mode');
		await refuses({ generate_audio: 'yes' }, 'generate_audio');
		await refuses({ action: 'image2video' }, 'action');
	});

	it('takes 1 to 7 references for fusion', async () => {
		await refuses({ img_references: [] }, 'img_references');
		await refuses({ img_references: manyLinks(8) }, 'img_references');
		await refuses({ img_references: ['data:image/png;base64,AAAA'] }, 'img_references');
	});

	it('takes both frames or none, and with them 5 or 8 seconds', async () => {
		await refuses({ first_frame_image: link }, 'first_frame_image');
		await refuses({ last_frame_image: link }, 'last_frame_image');
		await refuses({ first_frame_image: link, last_frame_image: link, duration: 6 }, 'duration');
	});

	it('does not support n', () => refuses({ n: 1 }, 'n'));

	it('extends a completed task of its own account, without images', async () => {
		const { data } = await visitor.submit({ model: 'pxv-v6', prompt: 'a comet' });
		const extend = { action: 'extend', ref_task_id: data.task_id };
		await takes(extend, {
			...extend,
			duration: 7,
			resolution: '1080p',
			generate_audio: true,
			aspect_ratio: '1:1',
		});
		await refuses({ action: 'extend' }, 'ref_task_id');
		await refuses({ ...extend, prompt: undefined }, 'prompt');
		await refuses({ ...extend, image_urls: [link] }, 'image_urls');
		await refuses({ ...extend, img_references: [link] }, 'img_references');
		await refuses(
			{ ...extend, first_frame_image: link, last_frame_image: link },
			'first_frame_image',
		);
		await refuses({ ...extend, ref_task_id: 'task_unknown' }, 'ref_task_id');
	});

	it('extends nothing that failed, runs, is of another model or another account', async () => {
		const refused = async (ref_task_id: string) =>
			refuses({ action: 'extend', ref_task_id }, 'ref_task_id');
		const failed = await visitor.submit({ model: 'pxv-v6', prompt: '[fail]' });
		await refused(failed.data.task_id);
		const image = await visitor.submit({ model: 'imgn-4.0', prompt: 'a comet' });
		await refused(image.data.task_id);
		const http = clientOf(visitor.sandbox.url, { authorization: 'Bearer other-key' });
		const foreign = await http.post('/v1/tasks', { model: 'pxv-v6', prompt: 'a comet' });
		await refused(foreign.data.task_id);
		visitor.sandbox.settings.taskMs = Infinity;
		const running = await visitor.submit({ model: 'pxv-v6', prompt: 'a comet' });
		await refused(running.data.task_id);
	});

	it('costs tier times seconds, more with audio', async () => {
		expect(await holds({ duration: 10 })).toBe(
			2 * (await holds({ duration: 5, resolution: '540p' })),
		);
		expect(await holds({ duration: 5, generate_audio: true })).toBeGreaterThan(
			await holds({ duration: 5 }),
		);
	});
});

describe('gx-imagine-1.0-video', () => {
	const { takes, refuses, holds } = assertRule({
		model: 'gx-imagine-1.0-video',
		prompt: 'a comet',
	});

	it('takes its fields, image mode by action or by images', () =>
		takes(
			{ aspect_ratio: '3:2', resolution: '720p', duration: 30 },
			{ image_urls: manyLinks(7) },
			{ action: 'image2video', image_urls: [link], aspect_ratio: '1:1' },
			{ action: 'image2video' },
		));

	it('keeps to its limits', async () => {
		for (const duration of [5, 31, '6']) await refuses({ duration }, 'duration');
		await refuses({ resolution: '1080p' }, 'resolution');
		await refuses({ aspect_ratio: '4:3' }, 'aspect_ratio');
		await refuses({ image_urls: manyLinks(8) }, 'image_urls');
		await refuses({ prompt: undefined }, 'prompt');
		await refuses({ action: 'extend' }, 'action');
		for (const field of ['n', 'seed', 'audio', 'negative_prompt'])
			await refuses({ [field]: 1 }, field);
	});

	it('has one price per second at every resolution', async () => {
		expect(await holds({})).toBe(Math.round(0.0074375 * 6 * 500_000));
		expect(await holds({ resolution: '720p', duration: 20 })).toBe(
			Math.round(0.0074375 * 20 * 500_000),
		);
	});
});
