import { compareModels, hasDifferences, type OfferedModel } from '../../nodes/catalog/drift';
import { listKnownModels } from '../../nodes/catalog/modelList';
import { modelSpecs } from '../../nodes/catalog/modelSpec';
import { readModels } from '../../nodes/gateway/models/schema';
import { listChanged } from '../support/listedModels';
import { useSandbox } from '../support/useSandbox';

const known: OfferedModel[] = listKnownModels().map(({ id, kind }) => ({ id, type: kind }));
const allBut = (...ids: string[]) => known.filter(({ id }) => !ids.includes(id));
/** The list of the tables, with another price of a model. */
const withPrice = (id: string, priceConfig: unknown) => [...allBut(id), { id, priceConfig }];
const NO_DIFFERENCES = {
	listedCount: known.length,
	newModels: [],
	missingModels: [],
	relistedModels: [],
	movedPrices: [],
	skippedKinds: [],
};

describe('the models of a gateway against those of the tables', () => {
	it('knows the models of every kind once, and none that is deprecated', () => {
		const ids = known.map(({ id }) => id);
		expect(new Set(ids).size).toBe(ids.length);
		expect(new Set(known.map(({ type }) => type))).toEqual(
			new Set(['image', 'video', 'text', 'audio', 'embedding']),
		);
		const deprecated = modelSpecs.filter((spec) => spec.deprecated).map(({ id }) => id);
		expect(deprecated.length).toBeGreaterThan(0);
		expect(ids.filter((id) => deprecated.includes(id))).toEqual([]);
	});

	it('finds no difference where all are listed, in whatever order', () => {
		expect(compareModels(known)).toEqual(NO_DIFFERENCES);
		expect(compareModels([...known].reverse())).toEqual(NO_DIFFERENCES);
		expect(hasDifferences(compareModels(known))).toBe(false);
	});

	it('finds new models in the order of the gateway, each once, of any type', () => {
		const added = [{ id: 'kite-9', type: 'video' }, { id: 'gp-9' }, { id: 'wav-7', type: 'music' }];
		const drift = compareModels([added[0]!, ...known, ...added]);

		expect(drift.newModels).toEqual(added);
		expect(hasDifferences(drift)).toBe(true);
	});

	it.each(known)('finds $id missing', ({ id, type }) => {
		const drift = compareModels(allBut(id));
		// The only model of its kind: the gateway does not list that kind.
		if (id === 'asr-1') return expect(drift.skippedKinds).toEqual(['audio']);
		expect(drift).toEqual({
			...NO_DIFFERENCES,
			listedCount: known.length - 1,
			missingModels: [{ id, kind: type }],
		});
	});

	it('does not miss text, audio and embedding models where none of the kind is listed', () => {
		const drift = compareModels(known.filter(({ type }) => type === 'image' || type === 'video'));
		expect(drift.skippedKinds).toEqual(['text', 'audio', 'embedding']);
		expect(hasDifferences(drift)).toBe(false);
	});

	it('misses every image and video model in an empty list', () => {
		const media = known.filter(({ type }) => type === 'image' || type === 'video');
		expect(compareModels([]).missingModels.map(({ id }) => id)).toEqual(media.map(({ id }) => id));
	});

	it('finds deprecated models that are listed again, and takes none of them for new', () => {
		const ids = ['srx-2', 'gx-imagine-1.0-video-rev'];
		const drift = compareModels([...known, ...ids.map((id) => ({ id }))]);

		expect(drift.newModels).toEqual([]);
		expect(drift.relistedModels).toEqual([
			{
				id: 'gx-imagine-1.0-video-rev',
				kind: 'video',
				deprecated: { reason: 'retired', replacement: 'gx-imagine-video-1.5-rev' },
			},
			{ id: 'srx-2', kind: 'video', deprecated: { reason: 'delisted' } },
		]);
	});
});

describe('the prices of a gateway against those of the tables', () => {
	const movedBy = (id: string, priceConfig: unknown) =>
		compareModels(withPrice(id, priceConfig)).movedPrices;

	it.each<[string, unknown]>([
		['as USD', { currency: 'USD', unit: 'image', price: 0.0425 }],
		['as quota', { quota: 21_250 }],
		['as text', { price: '0.0425' }],
		['as text in quota', '21250'],
		['deep in it', { tiers: [{ name: '4K', rates: { usd: 0.0425 } }], version: 3 }],
		['in floating point', { price: 0.1 + 0.0325 - 0.09 }],
		['not at all', undefined],
		['in words', { price: 'on request' }],
	])('are unchanged where they are listed %s', (_where, priceConfig) => {
		expect(movedBy('imgn-4.0', priceConfig)).toEqual([]);
	});

	it.each<[string, unknown, number[]]>([
		['USD', { currency: 'USD', unit: 'image', price: 0.05 }, [0.05]],
		['quota', { quota: 25_000 }, [25_000]],
		['text', { price: '0.05' }, [0.05]],
	])('have moved where another number is listed as %s', (_unit, priceConfig, listedNumbers) => {
		expect(movedBy('imgn-4.0', priceConfig)).toEqual([
			{ id: 'imgn-4.0', kind: 'image', statedUsd: [0.0425], listedNumbers, priceConfig },
		]);
	});

	it('may be listed in whole quota', () => {
		const id = 'gx-imagine-1.0-video';
		for (const quota of [3718.75, 3718, 3719]) expect(movedBy(id, { quota })).toEqual([]);
		expect(movedBy(id, { quota: 3720 })).toMatchObject([{ statedUsd: [0.0074375] }]);
	});

	it('have moved only at the resolution that has another number', () => {
		const priceConfig = {
			silent: { '720p': 0.0714, '1080p': 0.1, '4K': 0.455345 },
			audio: { '720p': 53_550, '1080p': 71_400 },
		};
		expect(movedBy('clipk-v3', priceConfig)).toMatchObject([
			{ statedUsd: [0.0952], listedNumbers: [0.1] },
		]);
	});

	it('are named too where they are only left out', () => {
		expect(movedBy('clipk-v2.6', { rates: [0.0391, 0.06641] })).toMatchObject([
			{ statedUsd: [0.159375], listedNumbers: [] },
		]);
	});

	it('are not expected where the table only assumes them', () => {
		expect(movedBy('gmn-3-pro-image-preview', { price: 0.0425 })).toEqual([]);
		expect(movedBy('gmn-3-pro-image-preview', { price: 0.05 })).toMatchObject([
			{ statedUsd: [0.0425] },
		]);
	});

	it('are not compared where the table has none', () => {
		expect(movedBy('sdn-2.0', { price: 7 })).toEqual([]);
		expect(compareModels([...known, { id: 'srx-2', priceConfig: 7 }]).movedPrices).toEqual([]);
	});
});

describe('the models of the sandbox, which are taken from the documentation and not from the tables', () => {
	const fixture = useSandbox();
	const compare = async () =>
		compareModels(readModels((await fixture.http.get('/v1/models')).data)!);

	it('do not differ', async () => {
		const drift = await compare();
		expect(drift).toEqual({ ...NO_DIFFERENCES, listedCount: drift.listedCount });
	});

	it('differ in each way where they are changed', async () => {
		fixture.sandbox.settings.listModels = listChanged;
		const { newModels, missingModels, relistedModels, movedPrices } = await compare();

		const idsOf = (models: { id: string }[]) => models.map(({ id }) => id);
		expect([newModels, missingModels, relistedModels, movedPrices].map(idsOf)).toEqual([
			['clipk-zz'],
			['clipk-v2.6'],
			['srx-2'],
			['imgn-4.0'],
		]);
	});
});
