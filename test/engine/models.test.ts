import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, runWorkflow, searchList } from '../../scripts/engine';
import { packageWith } from '../../scripts/package';
import { gatewayNode, NODE, useGateway } from '../support/gateway';
import { listChanged } from '../support/listedModels';
import { modelsOf } from '../support/offeredFields';

const gateway = useGateway();

/** Lists the models of a gateway that answers `GET /v1/models` in another shape. */
async function listedBy(reply: unknown, parameters = {}): Promise<unknown[]> {
	const server = createServer((_request, response) =>
		response.setHeader('content-type', 'application/json').end(JSON.stringify(reply)),
	);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	try {
		const { port } = server.address() as AddressInfo;
		const run = await runWorkflow(
			linear(itemsNode([{}]), gatewayNode('model:getAll', parameters)),
			packageWith(`http://127.0.0.1:${port}`, 'sk-1'),
		);
		return run.json(NODE);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

describe('listing models', () => {
	it('shows the media, actions and price of each', async () => {
		const run = await gateway.run('model:getAll', {});

		const models = run.json(NODE);
		expect(models.find(({ id }) => id === 'imgn-4.0')).toEqual({
			id: 'imgn-4.0',
			type: 'image',
			has_panel: true,
			actions: ['generate'],
			stated_price: '0.0425 USD per image',
			price_config: { currency: 'USD', unit: 'image', price: 0.0425 },
		});
		expect(models.find(({ id }) => id === 'clipk-v2.6')).toMatchObject({
			type: 'video',
			actions: ['generate', 'image2video', 'first_last_frame'],
			stated_price: 'From 0.0391 USD per second',
		});
		expect(models.find(({ id }) => id === 'asr-1')).toMatchObject({
			id: 'asr-1',
			price_config: { currency: 'USD', unit: 'minute', price: 0.006 },
		});
		expect(
			run.items(NODE).every(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":0}'),
		).toBe(true);
	});

	it.each([
		['imgn-4.0', 'image'],
		['gp-5', 'text'],
		['asr-1', 'audio'],
		['text-embedding-3-small', 'embedding'],
	])('knows the kind of %s: %s', async (id, type) => {
		const run = await gateway.run('model:getAll', {
			filters: { name: id.toUpperCase(), kind: type },
		});
		expect(run.json(NODE)).toContainEqual(expect.objectContaining({ id, type }));
	});

	it('returns those of a kind, and of a name', async () => {
		const idsOf = async (filters: object, more = {}) =>
			(await gateway.run('model:getAll', { filters, ...more } as never)).json(NODE);

		const videos = await idsOf({ kind: 'video' });
		expect(new Set(videos.map(({ type }) => type))).toEqual(new Set(['video']));
		const clips = await idsOf({ kind: 'video', name: 'clipk' }, { returnAll: false, limit: 2 });
		expect(clips).toHaveLength(2);
		expect(clips.every(({ id }) => String(id).startsWith('clipk'))).toBe(true);
		expect(await idsOf({ kind: 'image', name: 'clipk' })).toEqual([]);
	});

	it('returns all where an expression gives no name', async () => {
		const all = await gateway.run('model:getAll', {});
		const unnamed = await gateway.run('model:getAll', { filters: { name: '={{ null }}' } });

		expect(unnamed.json(NODE)).toEqual(all.json(NODE));
	});

	it('names a kind that there is not', async () => {
		const run = await gateway.run('model:getAll', { filters: { kind: '={{ "sound" }}' } });

		expect(run.nodeError(NODE)?.message).toBe(
			'Kind must be image, video, text, audio or embedding, but is "sound"',
		);
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it('names a name that is no text', async () => {
		const run = await gateway.run('model:getAll', { filters: { name: '={{ { a: 1 } }}' } });

		expect(run.nodeError(NODE)?.message).toBe('Name must be a text, but is {"a":1}');
	});

	it('returns as many as Limit says', async () => {
		expect(
			(await gateway.run('model:getAll', { returnAll: false, limit: 3 })).items(NODE),
		).toHaveLength(3);
		expect(
			(await gateway.run('model:getAll', { returnAll: true, limit: 3 })).items(NODE).length,
		).toBeGreaterThan(60);
	});

	it("gives the gateway's own entries when Simplify is off", async () => {
		const run = await gateway.run('model:getAll', { returnAll: false, limit: 1, simplify: false });

		const { data } = await gateway.http.get('/v1/models');
		expect(run.json(NODE)).toEqual([data.data[0]]);
	});

	it.each<[string, unknown]>([
		['a bare list', [{ id: 'imgn-4.0', price_config: { price: 1 } }]],
		['models by ID', { models: { 'imgn-4.0': { price_config: { price: 1 } } } }],
		['names under model', { data: [{ model: 'imgn-4.0', price_config: { price: 1 } }] }],
		['prices beside the list', { data: ['imgn-4.0'], price_config: { 'imgn-4.0': { price: 1 } } }],
	])('reads %s', async (_shape, reply) => {
		expect(await listedBy(reply)).toEqual([
			expect.objectContaining({
				id: 'imgn-4.0',
				type: 'image',
				has_panel: true,
				price_config: { price: 1 },
			}),
		]);
	});

	it('lists an unknown model with what the gateway states', async () => {
		expect(await listedBy({ data: [{ id: 'wav-7', type: 'music' }] })).toEqual([
			{
				id: 'wav-7',
				type: 'music',
				has_panel: false,
				actions: null,
				stated_price: null,
				price_config: null,
			},
		]);
	});

	it('says of a listed model that our tables know as gone why, and what replaces it', async () => {
		expect(await listedBy({ data: ['srx-2-pro', 'gx-imagine-1.0-video-rev'] })).toEqual([
			expect.objectContaining({ id: 'srx-2-pro', gone: 'delisted', successor: null }),
			expect.objectContaining({ gone: 'retired', successor: 'gx-imagine-video-1.5-rev' }),
		]);
	});

	it('gives a bare ID a name when Simplify is off', async () => {
		expect(await listedBy(['imgn-4.0'], { simplify: false })).toEqual([{ id: 'imgn-4.0' }]);
	});

	it('gives no items for a list without models', async () => {
		expect(await listedBy({ data: [] })).toEqual([]);
	});
});

describe('comparing the models with the package', () => {
	const compare = async (parameters = {}) => await gateway.run('model:compare', parameters);

	it('gives one item that says that nothing differs', async () => {
		const run = await compare();

		const [json, ...more] = run.json(NODE) as IDataObject[];
		expect(more).toEqual([]);
		expect(json).toEqual({
			has_differences: false,
			summary: 'no differences',
			gateway: new URL(gateway.sandbox.url).host,
			compared_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			counts: {
				listed: expect.any(Number),
				new_models: 0,
				missing_models: 0,
				relisted_models: 0,
				moved_prices: 0,
			},
			new_models: [],
			missing_models: [],
			relisted_models: [],
			moved_prices: [],
			skipped_kinds: [],
		});
		expect(run.items(NODE)[0]!.pairedItem).toEqual({ item: 0 });
	});

	it('names what is new, missing, listed again and moved in price, and reports it', async () => {
		gateway.sandbox.settings.listModels = listChanged;
		const [json] = (await compare()).json(NODE) as IDataObject[];

		expect(json).toMatchObject({
			has_differences: true,
			summary: '1 new, 1 missing, 1 listed again, 1 price moved',
			counts: { new_models: 1, missing_models: 1, relisted_models: 1, moved_prices: 1 },
			new_models: [
				{
					id: 'clipk-zz',
					type: 'video',
					price_config: { currency: 'USD', unit: 'second', price: 0.2 },
				},
			],
			missing_models: [{ id: 'clipk-v2.6', type: 'video' }],
			relisted_models: [{ id: 'srx-2', type: 'video', reason: 'delisted', successor: null }],
			moved_prices: [
				{
					id: 'imgn-4.0',
					type: 'image',
					stated_usd: [0.0425],
					listed_numbers: [0.05],
					price_config: { currency: 'USD', unit: 'image', price: 0.05 },
				},
			],
		});
		expect(JSON.stringify(json)).not.toContain(gateway.sandbox.key);
	});

	it('holds all models against the tables where a limit and filters are left from before', async () => {
		const left = { returnAll: false, limit: 1, filters: { kind: 'text' } };
		const [json] = (await compare(left)).json(NODE) as IDataObject[];
		expect(json).toMatchObject({ has_differences: false, skipped_kinds: [] });
	});

	it('keeps what else is in the address out of the item', async () => {
		const { host } = new URL(gateway.sandbox.url);
		const run = await runWorkflow(
			linear(itemsNode([{}]), gatewayNode('model:compare', {})),
			packageWith(`http://${host}/v1/?token=secret`, gateway.sandbox.key),
		);
		expect(run.json(NODE)).toMatchObject([{ gateway: host }]);
		expect(JSON.stringify(run.json(NODE))).not.toContain('secret');
	});
});

describe('choosing a model in the editor', () => {
	const choose = async (resource: string, filter: string) =>
		await searchList(
			gatewayNode(`${resource}:generate`, {}),
			'searchModels',
			{ filter },
			{
				nodeTypes: gateway.options().nodeTypes,
				credentialTypes: gateway.options().credentialTypes,
			},
		);

	it('works without a credential, and sends no request', async () => {
		const { results } = await choose('image', '');

		expect(results.map(({ value }) => value)).toContain('gmn-3-pro-image-preview');
		expect(results.map(({ value }) => value)).not.toContain('clipk-v3');
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it.each([
		['video', 'clipk', /^clipk-/],
		['image', 'FLX ctx', /^flx-ctx-/],
		['video', 'srx', /^none is served/],
		['video', 'nothing', /^none is called so/],
	] as const)(
		'finds under %s for "%s" the models that %s names',
		async (resource, filter, wanted) => {
			const found = (await choose(resource, filter)).results.map(({ value }) => String(value));
			expect(found.sort()).toEqual(
				modelsOf(resource)
					.filter((id) => wanted.test(id))
					.sort(),
			);
		},
	);
});
