import { textEndpoints, type TextEndpointId } from '../../nodes/catalog/textEndpoints';
import { chatModels, messageModels, nativeModels, responseOnlyModels } from '../../sandbox/models';
import { useSandbox } from '../support/useSandbox';

interface Row {
	id: string;
	object: string;
	type: string;
	price_config: Record<string, unknown>;
}

describe('the model list', () => {
	const fixture = useSandbox();
	const rows = async (): Promise<Row[]> => (await fixture.http.get('/v1/models')).data.data;

	it('names every model once, with its type and prices', async () => {
		const all = await rows();
		expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
		for (const row of all)
			expect(row).toMatchObject({
				object: 'model',
				type: expect.any(String),
				price_config: { currency: 'USD' },
			});
		const typeOf = Object.fromEntries(all.map(({ id, type }) => [id, type]));
		expect(typeOf).toMatchObject({
			'clipk-v3': 'video',
			'imgn-4.0': 'image',
			'gp-5': 'text',
			'asr-1': 'audio',
			'text-embedding-3-large': 'embedding',
		});
	});

	it.each<[TextEndpointId, string[]]>([
		['chat', chatModels],
		['respond', [...chatModels, ...responseOnlyModels]],
		['message', messageModels],
		['generateContent', nativeModels],
	])('has the text models of %s that the node has', (id, served) => {
		const { models } = textEndpoints[id];
		expect([
			...models
				.filter((model) => !served.includes(model))
				.map(
					(model) => `${model}: in nodes/catalog/textEndpoints.ts, missing in sandbox/models.ts`,
				),
			...served
				.filter((model) => !models.includes(model))
				.map(
					(model) => `${model}: in sandbox/models.ts, missing in nodes/catalog/textEndpoints.ts`,
				),
		]).toEqual([]);
	});

	it('leaves out what no longer works', async () => {
		const ids = (await rows()).map(({ id }) => id);
		for (const id of ['srx-2', 'srx-2-pro', 'gx-imagine-1.0-video-rev'])
			expect(ids).not.toContain(id);
		expect(ids).toContain('gx-imagine-video-1.5-rev');
	});

	it('lists what a test wants it to list', async () => {
		fixture.sandbox.settings.listModels = ([first]) => [first!, { id: 'kite-9', type: 'video' }];
		expect((await rows()).map(({ id }) => id)).toEqual([expect.any(String), 'kite-9']);
	});
});
