import type { IDataObject } from 'n8n-workflow';
import { modelId, NODE, PHOTO, SECOND_PHOTO, useGateway } from '../support/gateway';

const gateway = useGateway();
const links = '={{ $json.links }}';
const items = [{ links: [PHOTO, SECOND_PHOTO], link: PHOTO, five: '5', ratio: '16:9' }];

/** What a user sets in the panel of a model, and the body (beside `model`) that this means. */
type Row = [model: string, panel: IDataObject, body: IDataObject];

const rows: Row[] = [
	[
		'gmn-3.1-flash-image-preview',
		{
			prompt: 'a kite',
			action: 'search_grounded',
			aspect_ratio: '1:8',
			resolution: '0.5K',
			additionalFields: { google_search: true, google_image_search: false },
		},
		{
			prompt: 'a kite',
			action: 'search_grounded',
			aspect_ratio: '1:8',
			resolution: '0.5K',
			google_search: true,
			google_image_search: false,
		},
	],
	[
		'gmn-3.1-flash-image-preview-official',
		{ prompt: 'a kite', action: 'reference', image_urls: [links] },
		{ prompt: 'a kite', action: 'reference', image_urls: [PHOTO, SECOND_PHOTO] },
	],
	[
		'flx-2-pro',
		{
			prompt: 'a kite',
			resolution: '4mp',
			additionalFields: {
				output_format: 'webp',
				prompt_upsampling: true,
				safety_tolerance: 0,
				seed: 0,
			},
		},
		{
			prompt: 'a kite',
			resolution: '4mp',
			output_format: 'webp',
			prompt_upsampling: true,
			safety_tolerance: 0,
			seed: 0,
		},
	],
	[
		'flx-ctx-max',
		{
			prompt: 'a kite',
			action: 'edit',
			image_urls: links,
			additionalFields: { output_format: 'png' },
		},
		{ prompt: 'a kite', action: 'edit', image_urls: [PHOTO, SECOND_PHOTO], output_format: 'png' },
	],
	[
		'gx-imagine-image-2.0-rev',
		{ prompt: 'a kite', aspect_ratio: '3:4', additionalFields: { n: '12' } },
		{ prompt: 'a kite', aspect_ratio: '3:4', n: 12 },
	],
	[
		'gx-imagine-1.5-rev',
		{ prompt: 'a kite', image_urls: [PHOTO, ''], aspect_ratio: '={{ $json.ratio }}' },
		{ prompt: 'a kite', image_urls: [PHOTO], aspect_ratio: '16:9' },
	],
	[
		'gx-imagine-1.5-edit-rev',
		{
			prompt: 'a kite',
			action: 'edit',
			image_urls: [PHOTO, SECOND_PHOTO],
			additionalFields: { n: '={{ $json.five }}' },
		},
		{ prompt: 'a kite', action: 'edit', image_urls: [PHOTO, SECOND_PHOTO], n: 5 },
	],
	[
		'imgn-4.0',
		{ prompt: 'a kite', aspect_ratio: '3:4', additionalFields: { n: 2, seed: 42 } },
		{ prompt: 'a kite', aspect_ratio: '3:4', n: 2, seed: 42 },
	],
	[
		'qwn-image-3.0',
		{
			prompt: 'a kite',
			aspect_ratio: '16:9',
			extra_body: '{ "style": "ink", "prompt": "loses" }',
			additionalFields: { n: 6 },
		},
		{ prompt: 'a kite', aspect_ratio: '16:9', style: 'ink', n: 6 },
	],
	[
		'qwn-image-3.0-turbo',
		{
			prompt: 'a kite',
			action: 'blend',
			image_urls: [PHOTO],
			resolution: '3K',
			extra_body: '={{ { detail: { edges: true } } }}',
			additionalFields: { n: 2 },
		},
		{
			prompt: 'a kite',
			action: 'blend',
			image_urls: [PHOTO],
			resolution: '3K',
			detail: { edges: true },
			n: 2,
		},
	],
];

describe('an image from the panel', () => {
	it.each(rows)(
		'sends for %s exactly what the user set, and gives the finished task',
		async (model, panel, body) => {
			const run = await gateway.run(
				'image:generate',
				{ model: modelId(model, 'list'), ...panel },
				{ items },
			);

			expect(run.error).toBeUndefined();
			expect(gateway.bodies()).toEqual([{ model, ...body }]);
			const action = String(body.action ?? 'generate');
			expect(run.json(NODE)).toEqual([
				expect.objectContaining({ model, action, status: 'completed', progress: 100 }),
			]);
			expect(run.json(NODE)[0]?.urls).toHaveLength(Number(body.n ?? 1));
		},
	);

	it('sends nothing but model and prompt when nothing else was touched', async () => {
		await gateway.run('image:generate', {
			model: modelId('gmn-2.5-flash-image-preview'),
			prompt: 'a kite',
			action: 'generate',
			aspect_ratio: '',
			resolution: '',
		});

		expect(gateway.bodies()).toEqual([{ model: 'gmn-2.5-flash-image-preview', prompt: 'a kite' }]);
	});

	it('passes extra on as an object', async () => {
		await gateway.run('image:generate', {
			model: modelId('imgn-4.0'),
			prompt: 'a kite',
			additionalFields: { extra: '{ "style": "ink" }' },
		});

		expect(gateway.bodies()).toEqual([
			{ model: 'imgn-4.0', prompt: 'a kite', extra: { style: 'ink' } },
		]);
	});

	it('takes the prompt of each item', async () => {
		const run = await gateway.run(
			'image:generate',
			{ model: modelId('imgn-4.0'), prompt: '={{ $json.what }} at noon' },
			{
				items: [{ what: 'a kite' }, { what: 'a quay' }],
			},
		);

		expect(
			gateway.sandbox
				.tasks()
				.map(({ body }) => body.prompt)
				.sort(),
		).toEqual(['a kite at noon', 'a quay at noon']);
		expect(run.items(NODE).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('starts a new node on the cheapest image model', async () => {
		await gateway.run('image:generate', { prompt: 'a kite' });

		expect(gateway.bodies()).toEqual([{ model: 'gmn-2.5-flash-image-preview', prompt: 'a kite' }]);
	});
});
