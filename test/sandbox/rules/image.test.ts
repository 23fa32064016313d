import { createRuleAssertions, link, manyLinks } from '../../support/assertRule';

describe.each([
	['gmn-3-pro-image-preview', ['1K', '2K', '4K'], 0.0425],
	['gmn-3-pro-image-preview-official', ['1K', '2K', '4K'], 0.1139],
	['gmn-3.1-flash-image-preview', ['0.5K', '1K', '2K', '4K'], 0.031875],
	['gmn-3.1-flash-image-preview-official', ['0.5K', '1K', '2K', '4K'], 0.05695],
	['gmn-2.5-flash-image-preview', ['1K'], 0.01328125],
	['gmn-2.5-flash-image-preview-official', ['1K'], 0.03315],
])('%s', (model, resolutions, usd) => {
	const { assertAccepted, assertRefused, getHold } = createRuleAssertions({
		model,
		prompt: 'a moth',
	});
	const grounded = model.startsWith('gmn-3.1');

	it('takes its fields and resolutions', () =>
		assertAccepted(
			{ n: 3, seed: -1, aspect_ratio: '21:9', official_fallback: true },
			...resolutions.map((resolution) => ({ resolution })),
		));

	it('refuses the resolutions of others', async () => {
		for (const resolution of ['0.5K', '1K', '2K', '4K', '1k', '720p'].filter(
			(candidate) => !resolutions.includes(candidate),
		)) {
			await assertRefused({ resolution }, 'resolution');
		}
	});

	it('leaves the number of references open, except that image2image needs one', async () => {
		await assertAccepted(
			{ action: 'image2image', image_urls: manyLinks(2) },
			{ action: 'edit', image_urls: [link] },
			{ action: 'edit' },
			{ action: 'reference', image_urls: manyLinks(6) },
			{ image_urls: [link] },
		);
		await assertRefused({ action: 'image2image' }, 'image_urls');
		await assertRefused({ action: 'image2image', image_urls: [] }, 'image_urls');
	});

	it(`${grounded ? 'searches' : 'does not search'} the web`, async () => {
		const bodies = [
			{ google_search: true },
			{ google_image_search: false },
			{ action: 'search_grounded' },
			{ aspect_ratio: '1:8' },
		];
		for (const body of bodies)
			await (grounded ? assertAccepted(body) : assertRefused(body, Object.keys(body)[0] as string));
	});

	it('refuses wrong types and unknown fields', async () => {
		for (const n of ['2', 0, 1.5]) await assertRefused({ n }, 'n');
		await assertRefused({ seed: 1.5 }, 'seed');
		await assertRefused({ aspect_ratio: 'auto' }, 'aspect_ratio');
		await assertRefused({ official_fallback: 'true' }, 'official_fallback');
		await assertRefused({ negative_prompt: 'x' }, 'negative_prompt');
		await assertRefused({ action: 'inpaint' }, 'action');
		await assertRefused({ image_urls: ['data:image/png;base64,AAAA'] }, 'image_urls');
	});

	it('costs its price per image', async () => {
		expect(await getHold({ n: 4, resolution: resolutions[0] })).toBe(Math.round(usd * 4 * 500_000));
	});
});

describe.each([
	['qwn-image-2.0-pro', 0.053125],
	['qwn-image-2.0', 0.02125],
])('%s', (model, usd) => {
	const { assertAccepted, assertRefused, getHold } = createRuleAssertions({
		model,
		prompt: 'a moth',
	});

	it('takes its fields up to their limits', () =>
		assertAccepted(
			{
				prompt: 'x'.repeat(800),
				negative_prompt: 'x'.repeat(500),
				n: 2,
				seed: -1,
				aspect_ratio: '3:2',
				resolution: '1K',
			},
			{ action: 'image2image', image_urls: [link] },
			{ action: 'reference', image_urls: manyLinks(3) },
			{ image_urls: [link] },
		));

	it('keeps to its limits', async () => {
		await assertRefused({ prompt: 'x'.repeat(801) }, 'prompt');
		await assertRefused({ negative_prompt: 'x'.repeat(501) }, 'negative_prompt');
		await assertRefused({ aspect_ratio: '21:9' }, 'aspect_ratio');
		await assertRefused({ resolution: '4K' }, 'resolution');
		await assertRefused({ action: 'edit', image_urls: [link] }, 'action');
		await assertRefused({ action: 'image2image' }, 'image_urls');
		await assertRefused({ action: 'image2image', image_urls: manyLinks(2) }, 'image_urls');
		await assertRefused({ action: 'reference' }, 'image_urls');
		await assertRefused({ quality: 'low' }, 'quality');
	});

	it('costs its price per image', async () =>
		expect(await getHold({ n: 2 })).toBe(Math.round(usd * 2 * 500_000)));
});

describe('imgn-4.0', () => {
	const { assertAccepted, assertRefused, getHold } = createRuleAssertions({
		model: 'imgn-4.0',
		prompt: 'a moth',
	});

	it('takes its fields, and a resolution without effect', () =>
		assertAccepted(
			{ n: 2, seed: 5, aspect_ratio: '9:16', action: 'generate' },
			{ resolution: '2K' },
			{ resolution: '' },
		));

	it('only generates, from text', async () => {
		await assertRefused({ action: 'edit' }, 'action');
		await assertRefused({ image_urls: [link] }, 'image_urls');
		await assertRefused({ aspect_ratio: '3:2' }, 'aspect_ratio');
		await assertRefused({ negative_prompt: 'x' }, 'negative_prompt');
	});

	it('costs its price per image', async () => expect(await getHold({ n: 3 })).toBe(63_750));
});
