import { BATCH_SIZE } from '../../../nodes/gateway/embeddings/api';
import { createEmbedder, type Vector } from '../../../nodes/gateway/embeddings/embedder';
import type { GatewayError } from '../../../nodes/gateway/errors';
import { readEmbeddings } from '../../../nodes/gateway/embeddings/schema';
import { createVirtualGateway, ok, refusal } from '../../support/virtualGateway';

type Outcome = Vector | GatewayError;

/** Embeds the texts at a gateway that refuses those of `isBad`, and all where `refuseAll` gives words. */
async function embedAll(
	texts: string[],
	{
		isBad = () => false,
		refuseAll = () => undefined,
		status = 400,
		batchSize,
	}: {
		isBad?: (text: string) => boolean;
		refuseAll?: (input: string[]) => string | undefined;
		status?: number;
		batchSize?: number;
	} = {},
) {
	const { client, clock, requests } = createVirtualGateway(({ body }) => {
		const input = body!.input as string[];
		const all = refuseAll(input);
		if (all) return refusal(status, all);
		const bad = input.find(isBad);
		if (bad !== undefined) return refusal(status, `Bad text: ${bad}`);
		const data = input.map((text, index) => ({ index, embedding: [Number(text.slice(1))] }));
		return ok({ model: 'served', data: data.reverse(), usage: { total_tokens: input.length } });
	});
	const embed = createEmbedder(client, { model: 'text-embedding-3-small' }, batchSize);
	const outcomes = await clock.run(
		Promise.all(
			texts.map(
				async (text): Promise<Outcome> => await embed(text).catch((error: GatewayError) => error),
			),
		),
	);
	const sizes = requests.map(({ body }) => (body!.input as string[]).length);
	return { outcomes, sizes, requests };
}

const texts = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
const isVector = (outcome: Outcome): outcome is Vector => 'embedding' in outcome;

describe('texts of one turn', () => {
	it('are embedded in as few requests as the size allows, each with its own vector', async () => {
		const { outcomes, sizes, requests } = await embedAll(texts(BATCH_SIZE * 2 + 30));

		expect(sizes).toEqual([BATCH_SIZE, BATCH_SIZE, 30]);
		expect(requests[0]!.body).toMatchObject({ model: 'text-embedding-3-small' });
		expect(outcomes.filter(isVector).map(({ embedding }) => embedding[0])).toEqual(
			texts(BATCH_SIZE * 2 + 30).map((_, index) => index),
		);
		expect(outcomes[0]).toMatchObject({ model: 'served', batchSize: BATCH_SIZE });
		expect(outcomes.at(-1)).toMatchObject({ usage: { total_tokens: 30 }, batchSize: 30 });
	});

	it('are split as the user sets it', async () => {
		expect((await embedAll(texts(7), { batchSize: 3 })).sizes).toEqual([3, 3, 1]);
	});

	it.each([
		['one', (text: string) => text === 't17'],
		['two far apart', (text: string) => text === 't3' || text === 't96'],
		['the first', (text: string) => text === 't0'],
		['the last', (text: string) => text === 't99'],
		['every tenth', (text: string) => text.endsWith('5')],
		['those next to each other', (text: string) => /^t4\d$/.test(text)],
	])('are embedded although %s of them is refused', async (_name, isBad) => {
		const all = texts(100);
		const { outcomes, sizes } = await embedAll(all, { isBad });

		expect(all.filter((_, index) => !isVector(outcomes[index]!))).toEqual(all.filter(isBad));
		for (const [index, outcome] of outcomes.entries())
			if (!isVector(outcome)) expect(outcome.message).toContain(`Bad text: t${index}`);
		expect(sizes.length).toBeLessThan(100);
	});

	it('are given up after a handful of requests when the refusal is about all of them', async () => {
		const { outcomes, sizes } = await embedAll(texts(500), { refuseAll: () => 'No such model' });

		expect(outcomes.filter(isVector)).toEqual([]);
		expect(outcomes[499]).toMatchObject({ code: 'bad_request' });
		expect(sizes.length).toBeLessThanOrEqual(5 + 1);
	});

	it('take two requests each at most when all of them are wrong, and the request is not', async () => {
		const { outcomes, sizes } = await embedAll(texts(100), { isBad: (text) => /^t\d/.test(text) });

		expect(outcomes.filter(isVector)).toEqual([]);
		expect(sizes.length).toBeLessThanOrEqual(2 * 100);
	});

	it('are given up when the gateway quotes the number of texts in its refusal', async () => {
		const { sizes } = await embedAll(texts(100), {
			refuseAll: (input) => `Model for ${input.length} texts not found`,
		});

		expect(sizes.length).toBe(2);
	});

	it('are embedded beside those that are all refused alike', async () => {
		const isSecond = (text: string) => Number(text.slice(1)) % 2 === 1;
		const refuseAll = (input: string[]) => (input.some(isSecond) ? 'Too long' : undefined);
		const { outcomes } = await embedAll(texts(8), { refuseAll });
		expect(outcomes.map(isVector)).toEqual(texts(8).map((text) => !isSecond(text)));

		const isEarly = (text: string) => Number(text.slice(1)) < 4 || text === 't6';
		const early = (input: string[]) => (input.some(isEarly) ? 'Too long' : undefined);
		const batches = await embedAll(texts(12), { refuseAll: early, batchSize: 4 });
		expect(batches.outcomes.map(isVector)).toEqual(texts(12).map((text) => !isEarly(text)));
	});

	it('are embedded again once the request is no longer refused, but for those that are wrong', async () => {
		let words: string | undefined = 'No such model';
		const { client, clock } = createVirtualGateway(({ body }) => {
			const input = body!.input as string[];
			if (words || input.includes('bad')) return refusal(400, words ?? 'Too long');
			return ok({ data: input.map(() => ({ embedding: [1] })) });
		});
		const embedText = createEmbedder(client, { model: 'm' });
		const embed = async (...all: string[]) =>
			await clock.run(
				Promise.all(
					all.map(
						async (text) =>
							await embedText(text).then(
								() => true,
								() => false,
							),
					),
				),
			);

		expect(await embed('b', 'c')).toEqual([false, false]);
		words = undefined;
		expect(await embed('b', 'c')).toEqual([true, true]);
		expect(await embed('b', 'bad')).toEqual([true, false]);
	});

	it.each([413, 422])('are embedded but for the one that is refused with %i', async (status) => {
		const all = texts(20);
		const { outcomes } = await embedAll(all, { isBad: (text) => text === 't7', status });

		expect(outcomes.map(isVector)).toEqual(all.map((text) => text !== 't7'));
	});

	it.each([401, 402, 403, 404])(
		'are not halved after %i, which is about none of them',
		async (status) => {
			const { outcomes, sizes } = await embedAll(texts(100), { refuseAll: () => 'No', status });

			expect(sizes).toEqual([100]);
			expect(outcomes.map((outcome) => (outcome as GatewayError).details.http_status)).toEqual(
				Array(100).fill(status),
			);
		},
	);

	it('refuse a single text as it is', async () => {
		const { outcomes, sizes } = await embedAll(['t1'], { isBad: () => true });

		expect(sizes).toEqual([1]);
		expect(outcomes[0]).toMatchObject({ message: expect.stringContaining('Bad text: t1') });
	});
});

it('reports an answer with another number of vectors than texts', async () => {
	const { client, clock } = createVirtualGateway(() => ok({ data: [{ embedding: [1] }] }));
	const embed = createEmbedder(client, { model: 'm' });
	const all = ['a', 'b'].map(async (text) => await embed(text).catch((error) => error));

	expect(await clock.run(Promise.all(all))).toMatchObject(
		Array(2).fill({
			code: 'unreadable_response',
			message: 'The gateway answered without an embedding for each text, all of the same length',
		}),
	);
});

describe('an embedding list', () => {
	it('is put in the order of its texts', () => {
		const data = [
			{ index: 1, embedding: [1] },
			{ index: 0, embedding: [0] },
		];
		expect(readEmbeddings({ data, model: 'm', usage: { total_tokens: 2 } })).toEqual({
			vectors: [[0], [1]],
			model: 'm',
			usage: { total_tokens: 2 },
		});
		const unordered = [{ embedding: [5] }, { index: null, embedding: [6] }];
		expect(readEmbeddings({ data: unordered })?.vectors).toEqual([[5], [6]]);
		const asText = data.map(({ index, embedding }) => ({ index: String(index), embedding }));
		expect(readEmbeddings({ data: asText })?.vectors).toEqual([[0], [1]]);
	});

	it('is in the order of its texts where each has the index 0', () => {
		const data = [5, 6, 7].map((number) => ({ index: 0, embedding: [number] }));

		expect(readEmbeddings({ data })?.vectors).toEqual([[5], [6], [7]]);
	});

	it.each([undefined, 'x', {}, { data: {} }, { data: [{ embedding: 'AAAA' }] }, { data: [null] }])(
		'is not read out of %j',
		(body) => expect(readEmbeddings(body)).toBeUndefined(),
	);

	it.each([
		['one for two texts, none for another', [0, 0, 2].map((index) => ({ index, embedding: [1] }))],
		['an empty vector', [{ embedding: [] }]],
	])('is not read where it has %s', (_what, data) =>
		expect(readEmbeddings({ data })).toBeUndefined(),
	);
});
