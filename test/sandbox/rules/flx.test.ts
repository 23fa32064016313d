import { createRuleAssertions, link, manyLinks } from '../../support/assertRule';

describe.each(['flx-2-pro', 'flx-2-max', 'flx-2-flex', 'flx-ctx-pro', 'flx-ctx-max'])(
	'%s',
	(model) => {
		const { fixture, assertAccepted, assertRefused } = createRuleAssertions({
			model,
			prompt: 'a fern',
		});
		const second = model.startsWith('flx-2');
		const most = second ? 8 : 4;

		it('takes its fields', () =>
			assertAccepted(
				{
					aspect_ratio: 'auto',
					n: 1,
					seed: 1,
					output_format: 'png',
					prompt_upsampling: true,
					safety_tolerance: 5,
				},
				{ action: 'edit', image_urls: manyLinks(most) },
				{ image_urls: [] },
			));

		it('edits images, and generates without any', async () => {
			await assertRefused({ action: 'edit' }, 'image_urls');
			await assertRefused({ image_urls: [link] }, 'image_urls');
			await assertRefused({ action: 'edit', image_urls: manyLinks(most + 1) }, 'image_urls');
			await assertRefused({ action: 'reference', image_urls: [link] }, 'action');
		});

		it('makes one image per request', async () => {
			await assertRefused({ n: 2 }, 'n');
			await assertRefused({ n: '1' }, 'n');
		});

		it('refuses what it says it refuses', async () => {
			for (const field of ['quality', 'negative_prompt', 'watermark', 'mask_url'])
				await assertRefused({ [field]: 'x' }, field);
			await assertRefused({ output_format: 'jpg' }, 'output_format');
			await assertRefused({ aspect_ratio: '1:2' }, 'aspect_ratio');
			await assertRefused({ seed: '1' }, 'seed');
		});

		it('tolerates up to its own limit', async () => {
			await (second
				? assertRefused({ safety_tolerance: 6 }, 'safety_tolerance')
				: assertAccepted({ safety_tolerance: 6 }));
			await assertRefused({ safety_tolerance: 7 }, 'safety_tolerance');
			await assertRefused({ safety_tolerance: -1 }, 'safety_tolerance');
		});

		it(`${second ? 'has' : 'rejects'} a resolution`, () =>
			second
				? assertAccepted({ resolution: '4mp' }, { resolution: '8mp' })
				: assertRefused({ resolution: '1mp' }, 'resolution'));

		it('keeps output and references within 9 MP, and reads every size', async () => {
			const large = 'https://example.com/2048x2048.png';
			await assertAccepted({ action: 'edit', image_urls: [large] });
			await assertRefused({ action: 'edit', image_urls: [large, large, large] }, 'image_urls');
			await assertRefused(
				{ action: 'edit', image_urls: ['https://example.com/unreadable.png'] },
				'image_urls',
			);
			const exact = [
				'https://example.com/1024x7168.png',
				...(second ? [] : ['https://example.com/1024x1024.png']),
			];
			await assertAccepted({ action: 'edit', image_urls: exact });
			if (second)
				await assertRefused({ action: 'edit', image_urls: exact, resolution: '3mp' }, 'image_urls');
		});

		if (model === 'flx-2-flex') {
			it('has steps and guidance', async () => {
				await assertAccepted({ steps: 1, guidance: 1.5 }, { steps: 50, guidance: 10 });
				await assertRefused({ steps: 51 }, 'steps');
				await assertRefused({ steps: 0 }, 'steps');
				await assertRefused({ guidance: 1.4 }, 'guidance');
				await assertRefused({ guidance: '5' }, 'guidance');
			});
		} else {
			it('has neither steps nor guidance', async () => {
				await assertRefused({ steps: 20 }, 'steps');
				await assertRefused({ guidance: 5 }, 'guidance');
			});
		}

		it(`answers in ${second ? 'JPEG' : 'PNG'} unless set otherwise`, async () => {
			const { data } = await fixture.submit({ model, prompt: 'a fern' }, { prefer: 'wait=1' });
			expect(data.result.images[0].url[0]).toMatch(second ? /\.jpg$/ : /\.png$/);
		});
	},
);

describe('what flx-2 costs', () => {
	const { getHold } = createRuleAssertions({ model: 'flx-2-pro', prompt: 'a fern' });

	it('falls back to the 2mp tier', async () => {
		expect(await getHold({})).toBe(await getHold({ resolution: '2mp' }));
		expect(await getHold({ resolution: '9mp' })).toBe(await getHold({ resolution: '2mp' }));
		expect(await getHold({ resolution: '4mp' })).toBeGreaterThan(await getHold({}));
	});

	it('adds a fee for references', async () => {
		expect(await getHold({ action: 'edit', image_urls: [link] })).toBeGreaterThan(
			await getHold({}),
		);
	});
});
