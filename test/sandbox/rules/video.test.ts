import { clientOf } from '../../support/useSandbox';
import { createRuleAssertions, link, manyLinks } from '../../support/assertRule';

describe('pxv-v6', () => {
	const { fixture, assertAccepted, assertRefused, getHold } = createRuleAssertions({
		model: 'pxv-v6',
		prompt: 'a comet',
	});

	it('takes each of its modes', () =>
		assertAccepted(
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
		await assertRefused({ prompt: 'x'.repeat(5001) }, 'prompt');
		await assertRefused({ negative_prompt: 'x'.repeat(2049) }, 'negative_prompt');
		for (const duration of [0, 16, 2.5, '5']) await assertRefused({ duration }, 'duration');
		await assertRefused({ resolution: '4K' }, 'resolution');
		await assertRefused({ aspect_ratio: '9:21' }, 'aspect_ratio');
		await assertRefused({ seed: -1 }, 'seed');
		await assertRefused({ seed: 2_147_483_648 }, 'seed');
		await assertRefused({ motion_mode: 'fast' }, 'motion_mode');
		await assertRefused({ generate_audio: 'yes' }, 'generate_audio');
		await assertRefused({ action: 'image2video' }, 'action');
	});

	it('takes 1 to 7 references for fusion', async () => {
		await assertRefused({ img_references: [] }, 'img_references');
		await assertRefused({ img_references: manyLinks(8) }, 'img_references');
		await assertRefused({ img_references: ['data:image/png;base64,AAAA'] }, 'img_references');
	});

	it('takes both frames or none, and with them 5 or 8 seconds', async () => {
		await assertRefused({ first_frame_image: link }, 'first_frame_image');
		await assertRefused({ last_frame_image: link }, 'last_frame_image');
		await assertRefused(
			{ first_frame_image: link, last_frame_image: link, duration: 6 },
			'duration',
		);
	});

	it('does not support n', () => assertRefused({ n: 1 }, 'n'));

	it('extends a completed task of its own account, without images', async () => {
		const { data } = await fixture.submit({ model: 'pxv-v6', prompt: 'a comet' });
		const extend = { action: 'extend', ref_task_id: data.task_id };
		await assertAccepted(extend, {
			...extend,
			duration: 7,
			resolution: '1080p',
			generate_audio: true,
			aspect_ratio: '1:1',
		});
		await assertRefused({ action: 'extend' }, 'ref_task_id');
		await assertRefused({ ...extend, prompt: undefined }, 'prompt');
		await assertRefused({ ...extend, image_urls: [link] }, 'image_urls');
		await assertRefused({ ...extend, img_references: [link] }, 'img_references');
		await assertRefused(
			{ ...extend, first_frame_image: link, last_frame_image: link },
			'first_frame_image',
		);
		await assertRefused({ ...extend, ref_task_id: 'task_unknown' }, 'ref_task_id');
	});

	it('extends nothing that failed, runs, is of another model or another account', async () => {
		const refused = async (ref_task_id: string) =>
			assertRefused({ action: 'extend', ref_task_id }, 'ref_task_id');
		const failed = await fixture.submit({ model: 'pxv-v6', prompt: '[fail]' });
		await refused(failed.data.task_id);
		const image = await fixture.submit({ model: 'imgn-4.0', prompt: 'a comet' });
		await refused(image.data.task_id);
		const http = clientOf(fixture.sandbox.url, { authorization: 'Bearer other-key' });
		const foreign = await http.post('/v1/tasks', { model: 'pxv-v6', prompt: 'a comet' });
		await refused(foreign.data.task_id);
		fixture.sandbox.settings.taskMs = Infinity;
		const running = await fixture.submit({ model: 'pxv-v6', prompt: 'a comet' });
		await refused(running.data.task_id);
	});

	it('costs tier times seconds, more with audio', async () => {
		expect(await getHold({ duration: 10 })).toBe(
			2 * (await getHold({ duration: 5, resolution: '540p' })),
		);
		expect(await getHold({ duration: 5, generate_audio: true })).toBeGreaterThan(
			await getHold({ duration: 5 }),
		);
	});
});

describe('gx-imagine-1.0-video', () => {
	const { assertAccepted, assertRefused, getHold } = createRuleAssertions({
		model: 'gx-imagine-1.0-video',
		prompt: 'a comet',
	});

	it('takes its fields, image mode by action or by images', () =>
		assertAccepted(
			{ aspect_ratio: '3:2', resolution: '720p', duration: 30 },
			{ image_urls: manyLinks(7) },
			{ action: 'image2video', image_urls: [link], aspect_ratio: '1:1' },
			{ action: 'image2video' },
		));

	it('keeps to its limits', async () => {
		for (const duration of [5, 31, '6']) await assertRefused({ duration }, 'duration');
		await assertRefused({ resolution: '1080p' }, 'resolution');
		await assertRefused({ aspect_ratio: '4:3' }, 'aspect_ratio');
		await assertRefused({ image_urls: manyLinks(8) }, 'image_urls');
		await assertRefused({ prompt: undefined }, 'prompt');
		await assertRefused({ action: 'extend' }, 'action');
		for (const field of ['n', 'seed', 'audio', 'negative_prompt'])
			await assertRefused({ [field]: 1 }, field);
	});

	it('has one price per second at every resolution', async () => {
		expect(await getHold({})).toBe(Math.round(0.0074375 * 6 * 500_000));
		expect(await getHold({ resolution: '720p', duration: 20 })).toBe(
			Math.round(0.0074375 * 20 * 500_000),
		);
	});
});
