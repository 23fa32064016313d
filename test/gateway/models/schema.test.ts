import { readModels } from '../../../nodes/gateway/models/schema';

const price = { currency: 'USD', price: 0.04 };
const model = { id: 'imgn-4.0', object: 'model', type: 'image', price_config: price };

describe('reading the list of models', () => {
	it.each([
		['a list under data', { object: 'list', data: [model] }, model],
		['a list under models', { models: [model] }, model],
		['a list under items', { items: [model] }, model],
		['a bare list', [model], model],
		['a list within data', { data: { items: [model], total: 1 } }, model],
		['a list under result', { result: [model] }, model],
		[
			'an object by ID',
			{ data: { 'imgn-4.0': { type: 'image', price_config: price } } },
			{ type: 'image', price_config: price },
		],
		[
			'a bare object by ID',
			{ 'imgn-4.0': { type: 'image', price_config: price } },
			{ type: 'image', price_config: price },
		],
		[
			'IDs under model',
			[{ model: 'imgn-4.0', type: 'image', price_config: price }],
			{ model: 'imgn-4.0', type: 'image', price_config: price },
		],
		[
			'IDs under model_name',
			[{ model_name: 'imgn-4.0', type: 'image', price_config: price }],
			{ model_name: 'imgn-4.0', type: 'image', price_config: price },
		],
		[
			'IDs under name',
			[{ name: 'imgn-4.0', type: 'image', price_config: price }],
			{ name: 'imgn-4.0', type: 'image', price_config: price },
		],
	])('reads %s', (_name, body, raw) => {
		expect(readModels(body)).toEqual([{ id: 'imgn-4.0', type: 'image', priceConfig: price, raw }]);
	});

	it('reads bare IDs', () =>
		expect(readModels({ data: ['imgn-4.0'] })).toEqual([{ id: 'imgn-4.0', raw: 'imgn-4.0' }]));

	it('finds prices that stand beside the list', () => {
		expect(
			readModels({ data: [{ id: 'imgn-4.0' }, 'gp-5'], price_config: { 'imgn-4.0': price } }),
		).toEqual([
			{ id: 'imgn-4.0', type: undefined, priceConfig: price, raw: { id: 'imgn-4.0' } },
			{ id: 'gp-5', priceConfig: undefined, raw: 'gp-5' },
		]);
	});

	it('passes over entries without an ID', () => {
		expect(readModels({ data: [model, null, 7, {}, { id: '' }] })?.map(({ id }) => id)).toEqual([
			'imgn-4.0',
		]);
	});

	it('finds no model in an empty object', () => expect(readModels({})).toEqual([]));

	it('finds none in an empty list, which may be null', () => {
		expect(readModels({ object: 'list', data: null })).toEqual([]);
		expect(readModels({ data: [], price_config: { 'imgn-4.0': price } })).toEqual([]);
	});

	it('takes no property of every object for a price', () => {
		const [found] = readModels({ data: ['constructor'], price_config: {} })!;
		expect(found?.priceConfig).toBeUndefined();
	});

	it.each([
		['text', 'ok'],
		['nothing', undefined],
		['null', null],
		['a refusal', { success: false, message: 'No' }],
		['an error code', { code: 500, message: 'No' }],
		['prices alone', { data: null, price_config: { 'imgn-4.0': price } }],
	])('takes %s for no list', (_name, body) => expect(readModels(body)).toBeUndefined());

	it.each([{ error: 'No' }, { error: { code: 500, message: 'No' } }])(
		'takes no error for a model: %j',
		(body) => expect(readModels(body)).toBeUndefined(),
	);
});
