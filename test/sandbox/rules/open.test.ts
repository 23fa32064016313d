import { assertRule, link, manyLinks } from '../../support/assertRule';

describe('gp-4o-image', () => {
	const { takes, refuses } = assertRule({ model: 'gp-4o-image', prompt: 'a clock' });

	it('takes its fields', () =>
		takes(
			{ size: '2:3', n: 4, image_urls: manyLinks(5), mask_url: link },
			{ n: 1 },
			{ n: 2 },
			{ action: 'generate' },
		));

	it('wants n as the JSON number 1, 2 or 4', async () => {
		for (const n of [3, 5, 0, '2']) await refuses({ n }, 'n');
	});

	it('keeps to its limits', async () => {
		await refuses({ prompt: 'x'.repeat(1001) }, 'prompt');
		await refuses({ size: '16:9' }, 'size');
		await refuses({ image_urls: manyLinks(6) }, 'image_urls');
		await refuses({ mask_url: 'data:image/png;base64,AAAA' }, 'mask_url');
		for (const field of ['seed', 'aspect_ratio', 'resolution', 'quality'])
			await refuses({ [field]: 1 }, field);
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
	const { takes, refuses } = assertRule({ model, prompt: 'a clock' });

	it('takes any parameter', () =>
		takes({ made_up: { deep: [1] }, duration: '5', action: 'whatever' }));

	it('is still checked where the common fields are known', async () => {
		await refuses({ n: '1' }, 'n');
		await refuses({ seed: 'x' }, 'seed');
		await refuses({ image_urls: link }, 'image_urls');
		await refuses({ image_urls: ['data:image/png;base64,AAAA'] }, 'image_urls');
		await refuses({ callback_url: 'nowhere' }, 'callback_url');
		await refuses({ callback_events: 'completed' }, 'callback_events');
		await refuses({ extra: 'x' }, 'extra');
	});
});

describe('qwn-image-3.0', () => {
	const { takes, refuses } = assertRule({ model: 'qwn-image-3.0', prompt: 'a clock' });

	it('makes 1 to 6 images', async () => {
		await takes({ n: 6 });
		await refuses({ n: 7 }, 'n');
	});
});

describe('models that do not work', () => {
	const { visitor, refuses } = assertRule({ prompt: 'a clock' });
	const message = async (model: string): Promise<string> =>
		(await visitor.submit({ model, prompt: 'a clock' })).data.error.message as string;

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
			await refuses({ model }, 'model');
		}
	});

	it('say what happened to them', async () => {
		expect(await message('srx-2')).toContain('delisted');
		expect(await message('gx-imagine-1.0-video-rev')).toContain('gx-imagine-video-1.5-rev');
	});

	it('a body that is no object is refused', async () => {
		expect((await visitor.http.post('/v1/tasks', [])).status).toBe(400);
		expect((await visitor.http.post('/v1/tasks')).status).toBe(400);
	});
});
