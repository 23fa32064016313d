import { readError, useSandbox } from '../support/useSandbox';

describe('embeddings', () => {
	const fixture = useSandbox();
	const embed = (input: unknown, model: unknown = 'text-embedding-3-small') =>
		fixture.http.post('/v1/embeddings', { model, input });
	const near = (a: number[], b: number[]): number =>
		a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);

	it('have the shape of the spec', async () => {
		const { data } = await embed(['a red fox', 'a grey owl']);
		expect(data).toMatchObject({
			object: 'list',
			model: 'text-embedding-3-small',
			data: [
				{ object: 'embedding', index: 0 },
				{ object: 'embedding', index: 1 },
			],
			usage: { prompt_tokens: 6, total_tokens: 6 },
		});
		expect(near(data.data[0].embedding, data.data[0].embedding)).toBeCloseTo(1, 4);
	});

	it('are the same each time, and near for similar texts', async () => {
		const { data } = await embed([
			'red foxes in the snow',
			'a red fox in snow',
			'quarterly tax report',
		]);
		const [first, similar, other] = data.data.map(
			({ embedding }: { embedding: number[] }) => embedding,
		);
		expect(near(first, similar)).toBeGreaterThan(near(first, other) + 0.3);
		expect((await embed('red foxes in the snow')).data.data[0].embedding).toEqual(first);
	});

	it.each([
		['', 'input'],
		[[], 'input'],
		[['a', ''], 'input'],
		[7, 'input'],
		[[1, 2], 'input'],
		[undefined, 'input'],
	])('refuse the input %j', async (input, param) =>
		expect(readError(await embed(input))).toMatchObject({ status: 400, param }),
	);

	it('refuse other models', async () => {
		expect(readError(await embed('a', 'gp-5'))).toMatchObject({ status: 400, param: 'model' });
	});
});
