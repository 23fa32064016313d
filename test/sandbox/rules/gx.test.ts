import { createRuleAssertions, link, manyLinks } from '../../support/assertRule';

const official = ['gx-imagine-image', 'gx-imagine-image-quality', 'gx-imagine-image-2.0'];

describe.each([
	['gx-imagine-image', 10, 5],
	['gx-imagine-image-quality', 10, 3],
	['gx-imagine-image-2.0', 10, 3],
	['gx-imagine-image-2.0-rev', 12, 0],
	['gx-imagine-1.5-rev', 10, 5],
	['gx-imagine-1.5-edit-rev', 10, 5],
])('%s', (model, most, references) => {
	const { assertAccepted, assertRefused } = createRuleAssertions({ model, prompt: 'an owl' });
	const edits = official.includes(model) || model === 'gx-imagine-1.5-edit-rev';

	it(`makes 1 to ${most} images`, async () => {
		await assertAccepted({ n: 1 }, { n: most });
		await assertRefused({ n: most + 1 }, 'n');
		await assertRefused({ n: 0 }, 'n');
		await assertRefused({ n: '2' }, 'n');
	});

	it('supports neither seed nor mask', async () => {
		await assertRefused({ seed: 1 }, 'seed');
		await assertRefused({ mask_url: link }, 'mask_url');
		await assertRefused({ prompt: undefined }, 'prompt');
	});

	if (edits) {
		it(`edits 1 to ${references} images, and generates without any`, async () => {
			await assertAccepted({ action: 'edit', image_urls: manyLinks(references) });
			await assertRefused({ action: 'edit', image_urls: manyLinks(references + 1) }, 'image_urls');
			await assertRefused({ action: 'edit' }, 'image_urls');
			await assertRefused({ image_urls: [link] }, 'image_urls');
			await assertRefused({ action: 'image2image', image_urls: [link] }, 'action');
		});
	} else {
		it('only generates', () => assertRefused({ action: 'edit', image_urls: [link] }, 'action'));
	}

	if (official.includes(model)) {
		it('has 14 ratios and a resolution whose odd values fall back', () =>
			assertAccepted(
				{ aspect_ratio: 'auto' },
				{ aspect_ratio: '9:19.5' },
				{ resolution: '1k' },
				{ resolution: '2k' },
				{ resolution: '8k' },
			));
		it('refuses other ratios and types', async () => {
			await assertRefused({ aspect_ratio: '21:9' }, 'aspect_ratio');
			await assertRefused({ resolution: 2 }, 'resolution');
		});
	} else {
		it('has a fixed resolution', () => assertRefused({ resolution: '1k' }, 'resolution'));
	}

	if (model !== 'gx-imagine-image-2.0')
		it('has no quality', () => assertRefused({ quality: 'low' }, 'quality'));
});

describe('gx-imagine-image-2.0', () => {
	const { assertAccepted, assertRefused } = createRuleAssertions({
		model: 'gx-imagine-image-2.0',
		prompt: 'an owl',
	});

	it('takes a quality under generate only', async () => {
		await assertAccepted({ quality: 'low' }, { quality: 'medium', resolution: '2k' });
		await assertRefused({ quality: 'high' }, 'quality');
		await assertRefused({ quality: 'low', action: 'edit', image_urls: [link] }, 'quality');
		await assertRefused({ quality: 'low', image_urls: [link] }, 'quality');
	});
});

describe('the rev models', () => {
	const { assertAccepted, assertRefused, fixture } = createRuleAssertions({ prompt: 'an owl' });

	it('-2.0-rev has 7 ratios and no references', async () => {
		const model = 'gx-imagine-image-2.0-rev';
		await assertAccepted({ model, aspect_ratio: '3:4' });
		await assertRefused({ model, aspect_ratio: 'auto' }, 'aspect_ratio');
		await assertRefused({ model, image_urls: [link] }, 'image_urls');
	});

	it('1.5-rev has 5 ratios and references under generate', async () => {
		const model = 'gx-imagine-1.5-rev';
		await assertAccepted({ model, aspect_ratio: '2:3', image_urls: manyLinks(5) });
		await assertRefused({ model, aspect_ratio: '3:4' }, 'aspect_ratio');
		await assertRefused({ model, image_urls: manyLinks(6) }, 'image_urls');
	});

	it('1.5-edit-rev has no ratio', () =>
		assertRefused({ model: 'gx-imagine-1.5-edit-rev', aspect_ratio: '1:1' }, 'aspect_ratio'));

	it('gx-imagine-image makes one image under edit, whatever n says', async () => {
		const body = {
			model: 'gx-imagine-image',
			prompt: 'an owl',
			action: 'edit',
			image_urls: [link],
			n: 4,
		};
		const { data } = await fixture.submit(body, { prefer: 'wait=1' });
		expect(data.result.images).toHaveLength(1);
	});
});

describe('what references cost', () => {
	const { getHold } = createRuleAssertions({ prompt: 'an owl' });
	const edit = { action: 'edit', image_urls: manyLinks(2) };

	it('once per output on -quality, once per request on -2.0', async () => {
		const fee = async (model: string, n: number): Promise<number> =>
			(await getHold({ model, ...edit, n })) - (await getHold({ model, n }));
		expect(await fee('gx-imagine-image-quality', 3)).toBe(
			3 * (await fee('gx-imagine-image-quality', 1)),
		);
		expect(await fee('gx-imagine-image-2.0', 3)).toBe(await fee('gx-imagine-image-2.0', 1));
	});

	it('nothing on rev models, and odd resolutions cost as 1k', async () => {
		const model = 'gx-imagine-1.5-edit-rev';
		expect(await getHold({ model, ...edit })).toBe(await getHold({ model }));
		const quality = 'gx-imagine-image-quality';
		expect(await getHold({ model: quality, resolution: '8k' })).toBe(
			await getHold({ model: quality, resolution: '1k' }),
		);
	});
});
