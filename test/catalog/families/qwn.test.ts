import {
	acceptsAll,
	COMMON_FIELDS,
	textOfLength,
	PHOTO,
	photos,
	refusesAll,
	type ValidationCase,
	type ValidationFieldCase,
} from '../../support/validation';

const ALL = ['qwn-image-2.0', 'qwn-image-2.0-pro'];

describe('the qwn models', () => {
	acceptsAll(
		ALL.flatMap((model): ValidationCase[] => [
			[`a bare prompt on ${model}`, model, {}],
			[
				`everything at once on ${model}`,
				model,
				{
					...COMMON_FIELDS,
					action: 'reference',
					prompt: textOfLength(800),
					negative_prompt: textOfLength(500),
					image_urls: photos(6),
					n: 6,
					seed: -1,
					aspect_ratio: '2:3',
					resolution: '1K',
				},
			],
			[
				`image2image of one image on ${model}`,
				model,
				{ action: 'image2image', image_urls: [PHOTO] },
			],
			[`several references on ${model}`, model, { action: 'reference', image_urls: photos(3) }],
			[`many images, which have no stated limit, on ${model}`, model, { n: 20 }],
			...['1:1', '4:3', '3:4', '16:9', '9:16', '3:2', '2:3'].map((ratio): ValidationCase => [
				`the shape ${ratio} on ${model}`,
				model,
				{ aspect_ratio: ratio },
			]),
			...['1K', '2K'].map((size): ValidationCase => [
				`${size} on ${model}`,
				model,
				{ resolution: size },
			]),
		]),
	);
	refusesAll(
		ALL.flatMap((model): ValidationFieldCase[] => [
			[`no prompt on ${model}`, model, { prompt: undefined }, 'prompt'],
			[`801 characters of prompt on ${model}`, model, { prompt: textOfLength(801) }, 'prompt'],
			[
				`501 characters of negative prompt on ${model}`,
				model,
				{ negative_prompt: textOfLength(501) },
				'negative_prompt',
			],
			[`no image at all on ${model}`, model, { n: 0 }, 'n'],
			[`half a seed on ${model}`, model, { seed: 0.5 }, 'seed'],
			[`the shape 21:9 on ${model}`, model, { aspect_ratio: '21:9' }, 'aspect_ratio'],
			[`the shape auto on ${model}`, model, { aspect_ratio: 'auto' }, 'aspect_ratio'],
			[`4K on ${model}`, model, { resolution: '4K' }, 'resolution'],
			[`image2image without an image on ${model}`, model, { action: 'image2image' }, 'image_urls'],
			[
				`image2image of two images on ${model}`,
				model,
				{ action: 'image2image', image_urls: photos(2) },
				'image_urls',
			],
			[
				`reference without images on ${model}`,
				model,
				{ action: 'reference', image_urls: [] },
				'image_urls',
			],
			[`the action edit on ${model}`, model, { action: 'edit', image_urls: [PHOTO] }, 'action'],
			[
				`base64 on ${model}`,
				model,
				{ action: 'image2image', image_urls: ['iVBORw0KGgo'.repeat(20)] },
				'image_urls',
			],
			[
				`a data URI on ${model}`,
				model,
				{ action: 'image2image', image_urls: ['data:image/png;base64,iVBOR'] },
				'image_urls',
			],
			[`a watermark on ${model}`, model, { watermark: false }, 'watermark'],
		]),
	);
});
