import type { IDataObject } from 'n8n-workflow';
import { CLIP, modelId, NODE, PHOTO, SECOND_PHOTO, useGateway } from '../support/gateway';

const gateway = useGateway();
const items = [
	{ links: [PHOTO, SECOND_PHOTO], link: PHOTO, clip: CLIP, yes: 'true', seconds: '8' },
];

/** What a user sets in the panel of a model, and the body (beside `model`) that this means. */
type Row = [model: string, panel: IDataObject, body: IDataObject];

const rows: Row[] = [
	[
		'clipk-v3',
		{
			prompt: 'waves',
			action: 'first_last_frame',
			first_frame_image: '={{ $json.link }}',
			last_frame_image: SECOND_PHOTO,
			resolution: '4K',
			duration: 15,
			additionalFields: { watermark: false },
		},
		{
			prompt: 'waves',
			action: 'first_last_frame',
			first_frame_image: PHOTO,
			last_frame_image: SECOND_PHOTO,
			resolution: '4K',
			duration: 15,
			watermark: false,
		},
	],
	[
		'clipk-v3-omni',
		{
			prompt: 'as <<<image_2>>>',
			action: 'reference',
			image_urls: ['={{ $json.links }}'],
			additionalFields: { audio: '={{ $json.yes }}' },
		},
		{
			prompt: 'as <<<image_2>>>',
			action: 'reference',
			image_urls: [PHOTO, SECOND_PHOTO],
			audio: true,
		},
	],
	[
		'clipk-v3-omni',
		{
			prompt: 'waves',
			action: 'reference_video',
			video_list: { entry: { video_url: CLIP, refer_type: 'base', keep_original_sound: 'no' } },
			duration: 3,
		},
		{
			prompt: 'waves',
			action: 'reference_video',
			video_list: [{ video_url: CLIP, refer_type: 'base', keep_original_sound: 'no' }],
			duration: 3,
		},
	],
	[
		'clipk-video-o1',
		{
			prompt: 'waves',
			action: 'reference_video',
			video_list: {
				entry: { video_url: '={{ $json.clip }}', refer_type: '', keep_original_sound: '' },
			},
			image_urls: [PHOTO],
		},
		{
			prompt: 'waves',
			action: 'reference_video',
			video_list: [{ video_url: CLIP }],
			image_urls: [PHOTO],
		},
	],
	[
		'clipk-video-o1',
		{
			prompt: 'waves',
			action: 'reference_video',
			additionalFields: { video_urls: [CLIP] },
			duration: '5',
		},
		{ prompt: 'waves', action: 'reference_video', video_urls: [CLIP], duration: 5 },
	],
	[
		'gx-imagine-1.0-video',
		{
			prompt: 'waves',
			action: 'image2video',
			image_urls: '={{ $json.links }}',
			resolution: '720p',
			duration: '={{ $json.seconds }}',
		},
		{
			prompt: 'waves',
			action: 'image2video',
			image_urls: [PHOTO, SECOND_PHOTO],
			resolution: '720p',
			duration: 8,
		},
	],
	[
		'pxv-v6',
		{
			prompt: 'waves',
			first_frame_image: PHOTO,
			last_frame_image: SECOND_PHOTO,
			duration: 8,
			resolution: '360p',
			additionalFields: {
				seed: 0,
				motion_mode: 'normal',
				generate_audio: true,
				negative_prompt: 'rain',
			},
		},
		{
			prompt: 'waves',
			first_frame_image: PHOTO,
			last_frame_image: SECOND_PHOTO,
			duration: 8,
			resolution: '360p',
			seed: 0,
			motion_mode: 'normal',
			generate_audio: true,
			negative_prompt: 'rain',
		},
	],
	[
		'gx-imagine-video-1.5-rev',
		{ prompt: 'waves', image_urls: [PHOTO], extra_body: '{"camera": {"pan": "left"}}' },
		{ prompt: 'waves', image_urls: [PHOTO], camera: { pan: 'left' } },
	],
	[
		'sdn-2.0-mini',
		{
			prompt: 'waves',
			additionalFields: { image_with_roles: `[{ "url": "${PHOTO}", "role": "hero" }]` },
		},
		{ prompt: 'waves', image_with_roles: [{ url: PHOTO, role: 'hero' }] },
	],
	[
		'sdn-2.5',
		{
			prompt: 'waves',
			action: 'extend',
			additionalFields: { image_with_roles: `={{ [{ url: $json.link }] }}`, seed: 3 },
			extra_body: { duration: 9 },
		},
		{ prompt: 'waves', action: 'extend', image_with_roles: [{ url: PHOTO }], seed: 3, duration: 9 },
	],
];

describe('a video from the panel', () => {
	it.each(rows)(
		'sends for %s exactly what the user set, and gives the finished task',
		async (model, panel, body) => {
			const run = await gateway.run(
				'video:generate',
				{ model: modelId(model, 'list'), ...panel },
				{ items },
			);

			expect(run.error).toBeUndefined();
			expect(gateway.bodies()).toEqual([{ model, ...body }]);
			const action = String(body.action ?? 'generate');
			expect(run.json(NODE)).toEqual([
				expect.objectContaining({ model, action, status: 'completed', progress: 100 }),
			]);
			expect(run.json(NODE)[0]?.urls).toEqual([expect.stringMatching(/\.mp4$/)]);
		},
	);

	it('extends an earlier video of pxv-v6', async () => {
		const first = await gateway.run('video:generate', {
			model: modelId('pxv-v6'),
			prompt: 'waves',
		});
		const ref_task_id = String(first.json(NODE)[0]?.task_id);
		const run = await gateway.run('video:generate', {
			model: modelId('pxv-v6'),
			action: 'extend',
			prompt: 'and on',
			ref_task_id,
			duration: 5,
		});

		expect(run.error).toBeUndefined();
		expect(gateway.bodies()[1]).toEqual({
			model: 'pxv-v6',
			action: 'extend',
			prompt: 'and on',
			ref_task_id,
			duration: 5,
		});
	});

	it('references assets where the model takes them', async () => {
		gateway.sandbox.settings.assetReviewMs = 0;
		const { data } = await gateway.http.post('/v1/assets', {
			model: 'sdn-2.5',
			type: 'image',
			url: PHOTO,
			name: 'hero',
		});
		const asset = `asset://${data.id}`;
		const run = await gateway.run('video:generate', {
			model: modelId('sdn-2.5'),
			prompt: 'waves',
			image_urls: [asset, PHOTO],
		});

		expect(run.error).toBeUndefined();
		expect(gateway.bodies()).toEqual([
			{ model: 'sdn-2.5', prompt: 'waves', image_urls: [asset, PHOTO] },
		]);
	});

	it('sends all fields to an unknown model, and reports when the gateway refuses it', async () => {
		const panel = {
			model: modelId('wav-7'),
			prompt: 'waves',
			action: 'blend',
			aspect_ratio: '7:1',
			extra_body: '{ "duration": 2 }',
			additionalFields: { seed: 1 },
		};
		const run = await gateway.run('video:generate', panel);

		expect(gateway.bodies()).toEqual([
			{
				model: 'wav-7',
				prompt: 'waves',
				action: 'blend',
				aspect_ratio: '7:1',
				duration: 2,
				seed: 1,
			},
		]);
		expect(run.nodeError(NODE)).toMatchObject({
			message: 'The gateway refused the request (model): The model wav-7 is unknown.',
			description: expect.stringContaining('This package does not know wav-7'),
		});
	});

	it.each<[model: string, panel: IDataObject]>([
		['gx-imagine-1.0-video', {}],
		['clipk-v3', { action: 'image2video', image_urls: [PHOTO] }],
		[
			'clipk-v3',
			{ action: 'first_last_frame', first_frame_image: PHOTO, last_frame_image: SECOND_PHOTO },
		],
		['pxv-v6', { action: 'extend', ref_task_id: 'task_0' }],
	])('takes a model that an expression chooses: %s', async (model, panel) => {
		const given = { model: modelId('={{ $json.model }}'), prompt: 'waves', ...panel };
		await gateway.run('video:generate', given, { items: [{ model }] });

		expect(gateway.bodies()).toEqual([{ model, prompt: 'waves', ...panel }]);
	});

	it('starts a new node on the cheapest video model', async () => {
		await gateway.run('video:generate', { prompt: 'waves' });

		expect(gateway.bodies()).toEqual([{ model: 'gx-imagine-1.0-video', prompt: 'waves' }]);
	});
});
