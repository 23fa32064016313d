import { createRuleAssertions, link, manyLinks } from '../../support/assertRule';

describe('gp-4o-image', () => {
	const { assertAccepted, assertRefused } = createRuleAssertions({
		model: 'gp-4o-image',
		prompt: 'a clock',
	});

	it('takes its fields', () =>
		assertAccepted(
			{ size: '2:3', n: 4, image_urls: manyLinks(5), mask_url: link },
			{ n: 1 },
			{ n: 2 },
			{ action: 'generate' },
		));

	it('wants n as the JSON number 1, 2 or 4', async () => {
		for (const n of [3, 5, 0, '2']) await assertRefused({ n }, 'n');
	});

	it('keeps to its limits', async () => {
		await assertRefused({ prompt: 'x'.repeat(1001) }, 'prompt');
		await assertRefused({ size: '16:9' }, 'size');
		await assertRefused({ image_urls: manyLinks(6) }, 'image_urls');
		await assertRefused({ mask_url: 'data:image/png;base64,AAAA' }, 'mask_url');
		for (const field of ['seed', 'aspect_ratio', 'resolution', 'quality'])
			await assertRefused({ [field]: 1 }, field);
	});
});

describe.each([
	'sdn-2.0',
	'sdn-2.0-fast',
	'sdn-2.0-mini',
	'sdn-2.5',
	'gx-imagine-video-1.5-rev',
	'qwn-image-3.0',
	'qwn-image-3.0-pro',
])('%s, named without its fields', (model) => {
	const { assertAccepted, assertRefused } = createRuleAssertions({ model, prompt: 'a clock' });

	it('takes any parameter', () =>
		assertAccepted({ made_up: { deep: [1] }, duration: '5', action: 'whatever' }));

	it('is still checked where the common fields are known', async () => {
		await assertRefused({ n: '1' }, 'n');
		await assertRefused({ seed: 'x' }, 'seed');
		await assertRefused({ image_urls: link }, 'image_urls');
		await assertRefused({ image_urls: ['data:image/png;base64,AAAA'] }, 'image_urls');
		await assertRefused({ callback_url: 'nowhere' }, 'callback_url');
		await assertRefused({ callback_events: 'completed' }, 'callback_events');
		await assertRefused({ extra: 'x' }, 'extra');
	});
});

describe('qwn-image-3.0', () => {
	const { assertAccepted, assertRefused } = createRuleAssertions({
		model: 'qwn-image-3.0',
		prompt: 'a clock',
	});

	it('makes 1 to 6 images', async () => {
		await assertAccepted({ n: 6 });
		await assertRefused({ n: 7 }, 'n');
	});
});

describe('models that do not work', () => {
	const { fixture, assertRefused } = createRuleAssertions({ prompt: 'a clock' });
	const message = async (model: string): Promise<string> =>
		(await fixture.submit({ model, prompt: 'a clock' })).data.error.message as string;

	it('are refused by name', async () => {
		for (const model of [
			'srx-2',
			'srx-2-pro',
			'gx-imagine-1.0-video-rev',
			'gp-5',
			'toString',
			'',
			undefined,
			7,
		]) {
			await assertRefused({ model }, 'model');
		}
	});

	it('say what happened to them', async () => {
		expect(await message('srx-2')).toContain('delisted');
		expect(await message('gx-imagine-1.0-video-rev')).toContain('gx-imagine-video-1.5-rev');
	});

	it('a body that is no object is refused', async () => {
		expect((await fixture.http.post('/v1/tasks', [])).status).toBe(400);
		expect((await fixture.http.post('/v1/tasks')).status).toBe(400);
	});
});
