import { embedAll } from '../../../nodes/gateway/embeddings/api';
import { catchError } from '../../support/gatewayClient';
import { createVirtualGateway, ok, refusal } from '../../support/virtualGateway';

const CONCURRENCY = 5;
const texts = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
const toVectors = (input: unknown) =>
	ok({ data: (input as string[]).map((text) => ({ embedding: [Number(text.slice(1))] })) });

it('gives the vectors of all texts in their order', async () => {
	const { client, clock, requests } = createVirtualGateway(async ({ body }, index) => {
		await clock.sleep(1_000 - index * 10);
		return toVectors(body!.input);
	});
	const vectors = await clock.run(embedAll(client, { model: 'm' }, texts, 100));

	expect(vectors).toEqual(texts.map((_, index) => [index]));
	expect(requests).toHaveLength(10);
	expect(await clock.run(embedAll(client, { model: 'm' }, [], 100))).toEqual([]);
});

it('reads vectors in base64, as encoding_format gives them', async () => {
	const embedding = Buffer.from(new Float32Array([0.5, -2]).buffer).toString('base64');
	const { client, clock } = createVirtualGateway(() => ok({ data: [{ embedding }] }));

	expect(await clock.run(embedAll(client, { model: 'm' }, ['a'], 1))).toEqual([[0.5, -2]]);
});

it('refuses vectors of different lengths, which a vector store would rank wrongly', async () => {
	const { client, clock } = createVirtualGateway(() =>
		ok({ data: [{ embedding: [1, 2] }, { embedding: [1] }] }),
	);
	const error = await clock.run(catchError(embedAll(client, { model: 'm' }, ['a', 'b'], 2)));

	expect(error.message).toBe(
		'The gateway answered without an embedding for each text, all of the same length',
	);
});

it.each([400, 402, 500])(
	'sends nothing more after %i, since a vector store takes all or nothing',
	async (status) => {
		const { client, clock, requests } = createVirtualGateway(
			({ body }, index) => (index ? toVectors(body!.input) : refusal(status)),
			{ concurrency: CONCURRENCY },
		);
		const error = await clock.run(catchError(embedAll(client, { model: 'm' }, texts, 10)));
		await clock.run(clock.sleep(60_000));

		expect(error.details.http_status).toBe(status);
		expect(requests).toHaveLength(CONCURRENCY);
	},
);
