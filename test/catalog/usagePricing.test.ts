import { priceUsage, readUsagePrice } from '../../nodes/catalog/usagePricing';

/** USD for one token. */
const QUARTER_AND_TWO = { input: 0.25 / 1_000_000, output: 2 / 1_000_000 };

describe('a price by usage in the list of models', () => {
	it.each<[string, unknown]>([
		['in its names', { input_usd_per_million_tokens: 0.25, output_usd_per_million_tokens: 2 }],
		['per token', { input_usd_per_token: 0.00000025, output_usd_per_token: 0.000002 }],
		['per 1k tokens', { usd_per_1k_tokens: { input: 0.00025, output: 0.002 } }],
		['per 1M tokens', { prompt: { usd_per_1M: 0.25 }, completion: { usd_per_1M: 2 } }],
		['beside the numbers', { currency: 'USD', unit: 'million_tokens', input: 0.25, output: 2 }],
		['in words', { currency: 'USD', unit: '1M tokens', input: 0.25, output: 2 }],
		['in quota', { unit: 'per_million_tokens', quota: { input: 125_000, output: 1_000_000 } }],
		[
			'with prices of something else',
			{
				currency: 'USD',
				unit: 'million_tokens',
				input: 0.25,
				output: 2,
				cached_input: 0.025,
				batch_output: 1,
				image_input: 5,
			},
		],
	])('is read where unit and currency are stated %s', (_where, config) => {
		const price = readUsagePrice(config)!;
		expect(Object.keys(price).sort()).toEqual(['input', 'output']);
		expect(price.input).toBeCloseTo(QUARTER_AND_TWO.input, 12);
		expect(price.output).toBeCloseTo(QUARTER_AND_TWO.output, 12);
	});

	it.each<[unknown, number]>([
		[{ currency: 'USD', unit: 'minute', price: 0.006 }, 0.0001],
		[{ usd_per_second: 0.0001 }, 0.0001],
		[{ usd_per_hour: 0.36 }, 0.0001],
	])('is read of speech: %j', (config, usd) => {
		expect(readUsagePrice(config)!.seconds).toBeCloseTo(usd, 12);
	});

	it.each<[string, unknown]>([
		['no unit', { currency: 'USD', input: 0.25, output: 2 }],
		['no currency', { unit: 'million_tokens', input: 0.25, output: 2 }],
		['a number of tokens, not a unit', { input_tokens_usd: 0.25, output_tokens_usd: 2 }],
		['no price of the output', { input_usd_per_token: 0.00000025 }],
		[
			'two prices for one thing',
			{ usd_per_1k: { input: 1, output: 2 }, usd_per_1m: { input: 5, output: 6 } },
		],
		[
			'tiers',
			{
				currency: 'USD',
				unit: 'million_tokens',
				output: 2,
				input: 0.25,
				long: { input: 0.5 },
			},
		],
		['a time for tokens', { currency: 'USD', unit: 'minute', input: 0.25, output: 2 }],
		['cents', { currency: 'USD cents', unit: 'million_tokens', input: 25, output: 200 }],
		[
			'tiers in a list',
			[
				{ currency: 'USD', unit: 'million_tokens', input: 0.25, output: 2 },
				{ currency: 'USD', unit: 'million_tokens', input: 0.5, output: 2 },
			],
		],
		['texts', { currency: 'USD', unit: 'million_tokens', input: '0.25', output: '2' }],
		['a unit of characters', { usd_per_1k_characters: { input: 0.001, output: 0.002 } }],
		['nothing', undefined],
	])('is not invented where there is %s', (_what, config) => {
		expect(readUsagePrice(config)).toBeUndefined();
	});
});

describe('the price of a usage', () => {
	it('is rounded up to whole quota', () => {
		expect(priceUsage(QUARTER_AND_TWO, { input: 1_000, output: 500 })).toEqual({
			quota: 625,
			usd: 0.00125,
		});
	});

	it.each([
		[
			QUARTER_AND_TWO,
			{ input: 1_000 },
			'the answer may have any length: set Maximum Tokens (Generate Content: Maximum Output Tokens)',
		],
		[{ seconds: 0.0001 }, {}, 'how long the recording is, only the answer tells'],
		[undefined, { input: 1 }, 'the list of models states no price by usage'],
	])('is not known without a part of it', (price, usage, unknown) => {
		expect(priceUsage(price, usage)).toEqual({ unknown });
	});
});
