import type { IDataObject } from 'n8n-workflow';
import { CLIP, modelId, NODE, PHOTO, SECOND_PHOTO, useGateway } from '../support/gateway';

const gateway = useGateway();

/** A node as a workflow stores it when its user filled in one model after another and never cleared a field. */
const leftovers: IDataObject = {
	aspect_ratio: '9:21',
	resolution: '4mp',
	size: '3:2',
	quality: 'low',
	duration: 15,
	image_urls: [PHOTO, SECOND_PHOTO],
	first_frame_image: PHOTO,
	last_frame_image: SECOND_PHOTO,
	video_list: { entry: { video_url: CLIP, refer_type: 'base' } },
	ref_task_id: 'task_0',
	extra_body: '{ "left": "over" }',
	additionalFields: {
		n: 9,
		seed: 5,
		steps: 50,
		guidance: 5,
		safety_tolerance: 6,
		output_format: 'webp',
		negative_prompt: 'rain',
		audio: true,
		watermark: true,
		generate_audio: true,
		img_references: [PHOTO],
		video_urls: [CLIP],
		google_search: true,
		mask_url: PHOTO,
	},
};
const stored = (model: string, more: IDataObject = {}) => ({
	model: modelId(model),
	prompt: 'a kite',
	...leftovers,
	...more,
});

/** Switched to this model; what of the leftovers the panel still shows, so still means. */
const switched: [
	model: string,
	shown: IDataObject,
	kept: IDataObject,
	medium: 'image' | 'video',
][] = [
	['imgn-4.0', { aspect_ratio: '1:1' }, { aspect_ratio: '1:1', n: 9, seed: 5 }, 'image'],
	['gmn-2.5-flash-image-preview', { aspect_ratio: '' }, { n: 9, seed: 5 }, 'image'],
	['gx-imagine-1.5-edit-rev', {}, { n: 9 }, 'image'],
	['gx-imagine-image-2.0-rev', { aspect_ratio: '' }, { n: 9 }, 'image'],
	[
		'qwn-image-2.0',
		{ aspect_ratio: '', resolution: '' },
		{ n: 9, seed: 5, negative_prompt: 'rain' },
		'image',
	],
	[
		'clipk-v3',
		{ resolution: '', aspect_ratio: '' },
		{ image_urls: [PHOTO, SECOND_PHOTO], duration: 15, audio: true, watermark: true },
		'video',
	],
	[
		'gx-imagine-1.0-video',
		{ resolution: '', aspect_ratio: '', image_urls: [] },
		{ duration: 15 },
		'video',
	],
];

describe('a stored node whose model was switched', () => {
	it.each(switched)(
		'sends for %s only what its panel shows',
		async (model, shown, kept, medium) => {
			const run = await gateway.run(`${medium}:generate`, stored(model, shown));

			expect(run.error).toBeUndefined();
			expect(gateway.bodies()).toEqual([{ model, prompt: 'a kite', ...kept }]);
			expect(run.json(NODE)).toEqual([expect.objectContaining({ status: 'completed' })]);
		},
	);

	it('refuses an action of another model', async () => {
		const run = await gateway.run(
			'image:generate',
			stored('flx-2-pro', { action: 'search_grounded', aspect_ratio: '', resolution: '' }),
		);

		expect(gateway.posts()).toEqual([]);
		expect(run.error?.message).toBe('Mode must be generate or edit, but is search_grounded');
	});

	it('refuses a value that the panel still shows and the model does not have', async () => {
		const run = await gateway.run(
			'image:generate',
			stored('gmn-3-pro-image-preview', { aspect_ratio: '' }),
		);

		expect(gateway.posts()).toEqual([]);
		expect(run.error?.message).toBe('Resolution must be 1K, 2K or 4K, but is 4mp');
	});

	it('drops the action where the model has only one', async () => {
		await gateway.run('image:generate', {
			model: modelId('gp-4o-image'),
			prompt: 'a kite',
			action: 'edit',
		});

		expect(gateway.bodies()).toEqual([{ model: 'gp-4o-image', prompt: 'a kite' }]);
	});

	it('drops images when the action was switched back to generate', async () => {
		const shown = {
			action: 'generate',
			aspect_ratio: '1:1',
			resolution: '4mp',
			additionalFields: {},
		};
		await gateway.run('image:generate', stored('flx-2-pro', shown));

		expect(gateway.bodies()).toEqual([
			{ model: 'flx-2-pro', prompt: 'a kite', aspect_ratio: '1:1', resolution: '4mp' },
		]);
	});

	it('drops the reference video when the action was switched', async () => {
		const shown = {
			action: 'reference',
			resolution: '720p',
			aspect_ratio: '',
			additionalFields: { audio: true, video_urls: [CLIP] },
		};
		await gateway.run('video:generate', stored('clipk-v3-omni', shown));

		expect(gateway.bodies()).toEqual([
			{
				model: 'clipk-v3-omni',
				prompt: 'a kite',
				action: 'reference',
				image_urls: [PHOTO, SECOND_PHOTO],
				resolution: '720p',
				duration: 15,
				audio: true,
			},
		]);
	});
});

it.each([' clipk-v3', 'clipk-v3\n'])(
	'refuses the pasted ID %j, for which n8n shows the panel of an unknown model',
	async (id) => {
		const run = await gateway.run('video:generate', {
			model: modelId(id),
			prompt: 'a kite',
			extra_body: '{ "duration": 10 }',
		});

		expect(run.nodeError(NODE)?.message).toBe(
			'Model has a space or a line break beside its ID, so n8n shows the fields of an unknown model. Remove it',
		);
		expect(gateway.posts()).toEqual([]);
	},
);

it.each([
	['={{ $json.model }}\n', 'imgn-4.0'],
	['={{ $json.model }}', 'imgn-4.0 '],
])('takes the ID %j from %j: an expression shows the fields of all models', async (id, model) => {
	const parameters = { model: modelId(id), prompt: 'a kite' };
	await gateway.run('image:generate', parameters, { items: [{ model }] });

	expect(gateway.bodies()).toEqual([{ model: 'imgn-4.0', prompt: 'a kite' }]);
});

describe('a model by expression, for which n8n shows the fields of all models', () => {
	const send = async (model: string, fields: IDataObject) => {
		const parameters = { model: modelId('={{ $json.model }}'), prompt: 'a kite', ...fields };
		return await gateway.run('image:generate', parameters, { items: [{ model }] });
	};

	it.each<[string, IDataObject]>([
		['above', { resolution: '4K' }],
		['among Additional Fields', { additionalFields: { resolution: '4K' } }],
		[
			'in both, of which its panel has one',
			{ resolution: '4K', additionalFields: { resolution: '1K' } },
		],
		[
			'above, and empty among the others',
			{ resolution: '4K', additionalFields: { resolution: '' } },
		],
	])('is sent a value that stands %s', async (_where, fields) => {
		await send('gmn-3-pro-image-preview', fields);

		expect(gateway.bodies()).toEqual([
			{ model: 'gmn-3-pro-image-preview', prompt: 'a kite', resolution: '4K' },
		]);
	});

	it('leaves a value above to the models that take it there', async () => {
		await send('gmn-2.5-flash-image-preview', { resolution: '4K' });

		expect(gateway.bodies()).toEqual([{ model: 'gmn-2.5-flash-image-preview', prompt: 'a kite' }]);
	});

	it.each(['sdn-2.0', 'clipk-v3-omni'])(
		'refuses a link among Additional Fields that finds nothing, for %s',
		async (model) => {
			const run = await gateway.run(
				'video:generate',
				{
					model: modelId('={{ $json.model }}'),
					prompt: 'a kite',
					action: '={{ $json.model === "sdn-2.0" ? "" : "reference_video" }}',
					additionalFields: { video_urls: '={{ $json.nope }}' },
				},
				{ items: [{ model }] },
			);

			expect(run.nodeError(NODE)?.message).toMatch(
				/^Video URLs has an expression that finds nothing/,
			);
			expect(gateway.posts()).toEqual([]);
		},
	);

	it('is warned of a value among Additional Fields that finds nothing', async () => {
		const additionalFields = { resolution: '={{ $json.nope }}' };
		const run = await send('gmn-3-pro-image-preview', { additionalFields });

		expect(run.hints(NODE).map(({ message }) => message)).toContainEqual(
			expect.stringContaining('Resolution is left out'),
		);
	});
});
