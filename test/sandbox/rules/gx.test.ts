import { assertRule, link, manyLinks } from '../../support/assertRule';

const official = ['gx-imagine-image', 'gx-imagine-image-quality', 'gx-imagine-image-2.0'];

describe.each([
	['gx-imagine-image', 10, 5],
	['gx-imagine-image-quality', 10, 3],
	['gx-imagine-image-2.0', 10, 3],
	['gx-imagine-image-2.0-rev', 12, 0],
	['gx-imagine-1.5-rev', 10, 5],
	['gx-imagine-1.5-edit-rev', 10, 5],
])('%s', (model, most, references) => {
	const { takes, refuses } = assertRule({ model, prompt: 'an owl' });
	const edits = official.includes(model) || model === 'gx-imagine-1.5-edit-rev';

	it(`makes 1 to ${most} images`, async () => {
		await takes({ n: 1 }, { n: most });
		await refuses({ n: most + 1 }, 'n');
		await refuses({ n: 0 }, 'n');
		await refuses({ n: '2' }, 'n');
	});

	it('supports neither seed nor mask', async () => {
		await refuses({ seed: 1 }, 'seed');
		await refuses({ mask_url: link }, 'mask_url');
		await refuses({ prompt: undefined }, 'prompt');
	});

	if (edits) {
		it(`edits 1 to ${references} images, and generates without any`, async () => {
			await takes({ action: 'edit', image_urls: manyLinks(references) });
			await refuses({ action: 'edit', image_urls: manyLinks(references + 1) }, 'image_urls');
			await refuses({ action: 'edit' }, 'image_urls');
			await refuses({ image_urls: [link] }, 'image_urls');
			await refuses({ action: 'image2image', image_urls: [link] }, 'action');
		});
	} else {
		it('only generates', () => refuses({ action: 'edit', image_urls: [link] }, 'action'));
	}

	if (official.includes(model)) {
		it('has 14 ratios and a resolution whose odd values fall back', () =>
			takes(
				{ aspect_ratio: 'auto' },
				{ aspect_ratio: '9:19.5' },
				{ resolution: '1k' },
				{ resolution: '2k' },
				{ resolution: '8k' },
			));
		it('refuses other ratios and types', async () => {
			await refuses({ aspect_ratio: '21:9' }, 'aspect_ratio');
			await refuses({ resolution: 2 }, 'resolution');
		});
	} else {
		it('has a fixed resolution', () => refuses({ resolution: '1k' }, 'resolution'));
	}

	if (model !== 'gx-imagine-image-2.0')
		it('has no quality', () => refuses({ quality: 'low' }, 'quality'));
});

describe('gx-imagine-image-2.0', () => {
	const { takes, refuses } = assertRule({ model: 'gx-imagine-image-2.0', prompt: 'an owl' });

	it('takes a quality under generate only', async () => {
		await takes({ quality: 'low' }, { quality: 'medium', resolution: '2k' });
		await refuses({ quality: 'high' }, 'quality');
		await refuses({ quality: 'low', action: 'edit', image_urls: [link] }, 'quality');
		await refuses({ quality: 'low', image_urls: [link] }, 'quality');
	});
});

describe('the rev models', () => {
	const { takes, refuses, visitor } = assertRule({ prompt: 'an owl' });

	it('-2.0-rev has 7 ratios and no references', async () => {
		const model = 'gx-imagine-image-2.0-rev';
		await takes({ model, aspect_ratio: '3:4' });
		await refuses({ model, aspect_ratio: 'auto' }, 'aspect_ratio');
		await refuses({ model, image_urls: [link] }, 'image_urls');
	});

	it('1.5-rev has 5 ratios and references under generate', async () => {
		const model = 'gx-imagine-1.5-rev';
		await takes({ model, aspect_ratio: '2:3', image_urls: manyLinks(5) });
		await refuses({ model, aspect_ratio: '3:4' }, 'aspect_ratio');
		await refuses({ model, image_urls: manyLinks(6) }, 'image_urls');
	});

	it('1.5-edit-rev has no ratio', () =>
		refuses({ model: 'gx-imagine-1.5-edit-rev', aspect_ratio: '1:1' }, 'aspect_ratio'));

	it('gx-imagine-image makes one image under edit, whatever n says', async () => {
		const body = {
			model: 'gx-imagine-image',
			prompt: 'an owl',
			action: 'edit',
			image_urls: [link],
			n: 4,
		};
		const { data } = await visitor.submit(body, { prefer: 'wait=1' });
		expect(data.result.images).toHaveLength(1);
	});
});

describe('what references cost', () => {
	const { holds } = assertRule({ prompt: 'an owl' });
	const edit = { action: 'edit', image_urls: manyLinks(2) };

	it('once per output on -quality, once per request on -2.0', async () => {
		const fee = async (model: string, n: number): Promise<number> =>
			(await holds({ model, ...edit, n })) - (await holds({ model, n }));
		expect(await fee('gx-imagine-image-quality', 3)).toBe(
			3 * (await fee('gx-imagine-image-quality', 1)),
		);
		expect(await fee('gx-imagine-image-2.0', 3)).toBe(await fee('gx-imagine-image-2.0', 1));
	});

	it('nothing on rev models, and odd resolutions cost as 1k', async () => {
		const model = 'gx-imagine-1.5-edit-rev';
		expect(await holds({ model, ...edit })).toBe(await holds({ model }));
		const quality = 'gx-imagine-image-quality';
		expect(await holds({ model: quality, resolution: '8k' })).toBe(
			await holds({ model: quality, resolution: '1k' }),
		);
	});
});
