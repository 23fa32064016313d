import { executeAsTool } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { json, useStubGateway } from '../support/stubGateway';

const gateway = useGateway();
const stub = useStubGateway();
const small = { model: modelId('text-embedding-3-small') };
const ofItem = { ...small, input: '={{ $json.text }}' };
const calls = () => gateway.sandbox.requests.filter(({ path }) => path === '/v1/embeddings');
const inputs = () => calls().map(({ body }) => (body as { input: string[] }).input);

const embed = async (...texts: string[]) => {
	const response = await gateway.http.post('/v1/embeddings', {
		model: 'text-embedding-3-small',
		input: texts,
	});
	return (response.data as { data: { embedding: number[] }[] }).data.map(
		({ embedding }) => embedding,
	);
};

/** A gateway that answers 400 to a request with a text it does not like, and [length of the text] else. */
function dislikes(...bad: string[]) {
	stub.answer = (response, { input, model }) => {
		const texts = input as string[];
		if (texts.some((text) => bad.includes(text)))
			return json(
				response,
				{ error: { code: 400, message: 'A text is too long', param: 'input' } },
				400,
			);
		json(response, {
			model,
			data: texts.map((text, index) => ({ index, embedding: [text.length] })).reverse(),
		});
	};
}

describe('an embedding', () => {
	it('is an item with the model and the vector of its text', async () => {
		const run = await gateway.run('embedding:create', { ...small, input: 'a harbour at dusk' });
		const [vector] = await embed('a harbour at dusk');

		expect(run.items(NODE)).toEqual([
			{ json: { model: 'text-embedding-3-small', embedding: vector }, pairedItem: { item: 0 } },
		]);
		expect(calls()[0]).toMatchObject({
			body: { model: 'text-embedding-3-small', input: ['a harbour at dusk'] },
			headers: { authorization: 'Bearer sandbox-key' },
		});
	});

	it('of a list gives a list in one item', async () => {
		const items = [{ text: ['one', 'two', 'three'] }, { text: ['four'] }];
		const run = await gateway.run('embedding:create', ofItem, { items });

		const [one, two, three, four] = await embed('one', 'two', 'three', 'four');
		expect(run.json(NODE).map(({ embeddings }) => embeddings)).toEqual([[one, two, three], [four]]);
		expect(inputs()[0]).toEqual(['one', 'two', 'three', 'four']);
	});

	it("is the endpoint's own shape where Simplify is off", async () => {
		const run = await gateway.run(
			'embedding:create',
			{ ...ofItem, options: { simplify: false } },
			{ items: [{ text: ['one', 'two'] }] },
		);
		const [one, two] = await embed('one', 'two');

		expect(run.json(NODE)).toEqual([
			{
				object: 'list',
				model: 'text-embedding-3-small',
				data: [
					{ object: 'embedding', index: 0, embedding: one },
					{ object: 'embedding', index: 1, embedding: two },
				],
				usage: { prompt_tokens: 2, total_tokens: 2, texts_in_request: 2 },
			},
		]);
	});

	it('takes what Extra Body adds', async () => {
		await gateway.run(
			'embedding:create',
			{ ...ofItem, options: { extra_body: { dimensions: 64, model: 'other' } } },
			{ items: [{ text: 'one' }] },
		);

		expect(calls()[0]?.body).toEqual({
			dimensions: 64,
			model: 'text-embedding-3-small',
			input: ['one'],
		});
	});

	it('takes a number for its text', async () => {
		await gateway.run('embedding:create', ofItem, { items: [{ text: 7 }] });

		expect(calls()[0]?.body).toMatchObject({ input: ['7'] });
	});

	it.each([
		['an empty list', [], 'Text is an empty list. Give at least one text'],
		['an empty text', ' ', 'Text is empty'],
		['an empty text in a list', ['one', ''], 'Text is empty in entry 2'],
		['null', null, 'Text is empty'],
		['a vector', [0.1, 0.2], 'Text must be a text in entry 1, but is 0.1'],
		['an object in a list', ['one', { a: 1 }], 'Text must be a text in entry 2, but is '],
	])('is not made of %s', async (_name, text, words) => {
		const run = await gateway.run('embedding:create', ofItem, { items: [{ text }] });

		expect(run.nodeError(NODE)?.message).toContain(words);
		expect(calls()).toEqual([]);
	});
});

describe('ten thousand texts', () => {
	it('take a hundred requests, and each item gets the vector of its own text', async () => {
		const items = Array.from({ length: 10_000 }, (_, row) => ({
			text: `row ${row} of ${row * 7919}`,
		}));
		const run = await gateway.run('embedding:create', ofItem, { items });

		expect(run.json(NODE)).toHaveLength(10_000);
		expect(calls()).toHaveLength(100);
		for (const row of [0, 99, 100, 4567, 9999]) {
			const [alone] = await embed(items[row]!.text);
			expect(run.items(NODE)[row]).toMatchObject({
				json: { embedding: alone },
				pairedItem: { item: row },
			});
		}
	});

	it.each([
		[3, [3, 3, 1]],
		['={{ "4" }}', [4, 3]],
	])('go in batches of the size that is set: %s', async (batchSize, sizes) => {
		const items = Array.from({ length: 7 }, (_, row) => ({ text: `row ${row}` }));
		const run = await gateway.run(
			'embedding:create',
			{ ...ofItem, options: { batchSize, concurrency: 1 } },
			{ items },
		);

		expect(inputs().map(({ length }) => length)).toEqual(sizes);
		expect(run.json(NODE)).toHaveLength(7);
	});
});

it.each([
	[0, 'Batch Size must be at least 1, but is 0'],
	['={{ "many" }}', 'Batch Size must be a whole number, but is the text "many"'],
	[-5, 'Batch Size must be at least 1, but is -5'],
])('sends nothing in batches of %s', async (batchSize, message) => {
	const run = await gateway.run(
		'embedding:create',
		{ ...ofItem, options: { batchSize } },
		{ items: [{ text: 'one' }] },
	);

	expect(run.nodeError(NODE)?.message).toBe(message);
	expect(inputs()).toEqual([]);
});

describe('a text that the gateway refuses', () => {
	it('does not fail its batch, and is found in few requests', async () => {
		dislikes('bad', 'worse');
		const items = Array.from({ length: 200 }, (_, row) => ({
			text: row === 42 ? 'bad' : row === 150 ? 'worse' : 'x'.repeat(row + 1),
		}));
		const run = await stub.run('embedding:create', ofItem, {
			items,
			node: { onError: 'continueRegularOutput' },
		});

		run.json(NODE).forEach((item, row) => {
			if (row !== 42 && row !== 150)
				return expect(item).toEqual({ model: 'text-embedding-3-small', embedding: [row + 1] });
			expect(item).toMatchObject({
				error: expect.stringContaining('(input): A text is too long'),
				details: { http_status: 400, billed: 0 },
			});
		});
		expect(stub.bodies.length).toBeLessThan(35);
	});

	it('is named by its entry in a list', async () => {
		dislikes('bad');
		const run = await stub.run('embedding:create', ofItem, {
			items: [{ text: ['a', 'b', 'bad', 'd'] }],
		});

		expect(run.nodeError(NODE)).toMatchObject({
			message: expect.stringMatching(/^Text in entry 3: .*A text is too long/),
			context: { details: { text: 'bad' } },
		});
	});

	it('is not named where the whole request is refused, e.g. its model', async () => {
		dislikes('test', 'good');
		const run = await stub.run('embedding:create', ofItem, { items: [{ text: ['good'] }] });

		expect(run.nodeError(NODE)?.message).not.toContain('entry');
	});

	it('stops the run where the node does not go on', async () => {
		dislikes('bad');
		const run = await stub.run('embedding:create', ofItem, {
			items: [{ text: 'good' }, { text: 'bad' }],
		});

		expect(run.nodeError(NODE)).toMatchObject({
			message: expect.stringContaining('A text is too long'),
			context: { itemIndex: 1 },
		});
	});
});

describe('a gateway that fails for a while', () => {
	const four = Array.from({ length: 4 }, (_, row) => ({ text: `row ${row}` }));

	it('is asked again after a 429', async () => {
		gateway.sandbox.faults.add({
			match: { path: '/v1/embeddings' },
			kind: { status: 429, retryAfter: '0' },
		});
		const run = await gateway.run('embedding:create', ofItem, { items: four });

		expect(run.json(NODE)).toHaveLength(4);
		expect(calls().map(({ status }) => status)).toEqual([429, 200]);
	});

	it('is not paid again for the batches of a list that have worked', async () => {
		gateway.sandbox.faults.add({ match: { path: '/v1/embeddings' }, kind: { status: 500 } });
		const input = ['one', 'two', 'three', 'four', 'five'];
		const run = await gateway.run(
			'embedding:create',
			{ ...small, input: '={{ $json.input }}', options: { batchSize: 2 } },
			{
				items: [{ input }],
				node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
			},
		);

		expect(inputs()).toEqual([['one', 'two'], ['three', 'four'], ['five'], ['one', 'two']]);
		const embeddings = await Promise.all(input.map(async (text) => (await embed(text))[0]));
		expect(run.json(NODE)).toEqual([{ model: 'text-embedding-3-small', embeddings }]);
	});

	it('is not paid again by the next try of a tool', async () => {
		gateway.sandbox.faults.add({ match: { path: '/v1/embeddings' }, kind: { status: 500 } });
		const input = '={{ ["one", "two", "three", "four", "five"] }}';
		const parameters = { ...small, input, options: { batchSize: 2 } };
		const again = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const tool = gatewayNode('embedding:create', parameters, again);
		await executeAsTool(tool, {}, gateway.options());

		expect(inputs()).toEqual([['one', 'two'], ['three', 'four'], ['five'], ['one', 'two']]);
	});

	it('is asked once when the balance is spent, for all', async () => {
		gateway.sandbox.settings.quotaExhausted = true;
		const run = await gateway.run('embedding:create', ofItem, {
			items: four,
			node: { onError: 'continueRegularOutput' },
		});

		expect(run.json(NODE)).toEqual(
			Array(4).fill(expect.objectContaining({ error: expect.stringContaining('balance') })),
		);
		expect(calls()).toHaveLength(1);
	});

	it.each([
		[
			'too few vectors',
			{ data: [{ index: 0, embedding: [1] }] },
			'The gateway answered without an embedding for each text, all of the same length',
		],
		[
			'none',
			{ data: [] },
			'The gateway answered without an embedding for each text, all of the same length',
		],
	])('that sends %s is reported as such', async (_name, body, words) => {
		stub.answer = (response) => json(response, body);
		const run = await stub.run('embedding:create', ofItem, { items: four });

		expect(run.nodeError(NODE)?.message).toBe(words);
	});
});
