import { ToolCallCollector } from '../../../nodes/gateway/text/toolCallCollector';

const collect = (pieces: Record<string, unknown>[]) => {
	const collector = new ToolCallCollector();
	for (const { name, arguments: more, ...place } of pieces)
		collector.add({ ...place, function: { name, arguments: more } });
	return collector.list.map(({ name, arguments: words }) => `${name}${words}`);
};

describe('pieces of streamed tool calls', () => {
	const [one, two] = [
		{ name: 'one', arguments: '{"x":1}' },
		{ name: 'two', arguments: '{"y":2}' },
	];

	it.each([
		['no index and no ID', {}],
		['one index and no ID', { index: 0 }],
		['one index and an empty ID', { index: 0, id: '' }],
		['one index and one ID', { index: 0, id: 'a' }],
	])('are two calls by their names, with %s', (_what, place) => {
		expect(collect([one, two].map((call) => ({ ...place, ...call })))).toEqual([
			'one{"x":1}',
			'two{"y":2}',
		]);
	});

	it.each([
		['no index and no ID', {}],
		['one index and no ID', { index: 0 }],
		['one index and one ID', { index: 0, id: 'a' }],
	])('are two calls of one function where the first is whole, with %s', (_what, place) => {
		const other = { name: 'one', arguments: '{"x":2}' };
		expect(collect([one, other].map((call) => ({ ...place, ...call })))).toEqual([
			'one{"x":1}',
			'one{"x":2}',
		]);
	});

	it.each([
		['as it was', '{"x": 1}'],
		['encoded twice', JSON.stringify('{"x":1}')],
	])('are one call where the last states all of it once more, %s', (_what, more) => {
		const pieces = [one, { name: 'one', arguments: more }];

		expect(collect(pieces.map((piece) => ({ index: 0, id: 'a', ...piece })))).toEqual([
			'one{"x":1}',
		]);
		// Without an ID it may be meant.
		expect(collect([one, one])).toHaveLength(2);
	});

	it.each(['', '\n'])('are one call where each repeats the name, with %j at the end', (end) => {
		const pieces = ['', '{"x"', ':1}', end].map((more) => ({
			id: 'a',
			name: 'one',
			arguments: more,
		}));

		expect(collect(pieces)).toEqual([`one{"x":1}${end}`]);
	});

	it('are two calls of one function at one index where their IDs differ, though the first is not whole', () => {
		const pieces = ['a', 'b'].map((id) => ({ index: 0, id, name: 'one', arguments: '{"x":' }));

		expect(collect(pieces)).toEqual(['one{"x":', 'one{"x":']);
	});

	it.each([{ index: 0 }, {}])(
		'are two calls of two functions where their IDs are one: %j',
		(place) => {
			const pieces = ['one', 'two'].map((name) => ({ ...place, id: 'a', name, arguments: '{}' }));

			expect(collect(pieces)).toEqual(['one{}', 'two{}']);
		},
	);

	it('may have the ID behind the first piece', () => {
		const collector = new ToolCallCollector();
		collector.add({ index: 0, function: { name: 'one' } });
		collector.add({ index: 0, id: 'a', function: { arguments: '{}' } });

		expect(collector.list).toEqual([{ id: 'a', name: 'one', arguments: '{}' }]);
	});

	it('may have the name behind the first piece', () => {
		expect(collect([{ id: 'a' }, { id: 'a', ...one }])).toEqual(['one{"x":1}']);
	});

	it('may have their arguments as an object', () => {
		expect(collect([{ name: 'one', arguments: { x: 1 } }])).toEqual(['one{"x":1}']);
	});
});

it.each([{ id: 'a' }, { name: 'write' }])(
	'joins forty thousand pieces that repeat %j',
	(repeated) => {
		const letter = { ...repeated, arguments: 'word ' };
		const pieces = [
			{ name: 'write', id: 'a', arguments: '{"text":"' },
			...Array<typeof letter>(40_000).fill(letter),
			{ ...repeated, arguments: '"}' },
		];

		expect(collect(pieces)).toEqual([`write{"text":"${'word '.repeat(40_000)}"}`]);
	},
);

it.each([
	['compact JSON of what was indented', '{\n  "a": 1,\n\t\t\t\t\t\t"b": 2\n}', '{"a":1,"b":2}'],
	[
		'letters of what was escaped',
		`{"a":"${'\\u4f60'.repeat(9)}"}`,
		`{"a":"${'\u4f60'.repeat(9)}"}`,
	],
])('takes a summary for the same call: %s', (_name, words, summary) => {
	const pieces = [words, summary].map((text) => ({ id: 'a', name: 'one', arguments: text }));

	expect(collect(pieces)).toEqual([`one${words}`]);
});

it('joins ten thousand pieces that begin and end like objects', () => {
	const piece = { name: 'write', arguments: '{"city":"Ghent"},' };
	const pieces = [{ name: 'write', arguments: '[' }, ...Array<typeof piece>(10_000).fill(piece)];

	expect(collect(pieces)).toHaveLength(1);
});
