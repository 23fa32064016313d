import { NodeConnectionTypes, type IDataObject, type INodeProperties } from 'n8n-workflow';
import {
	itemsNode,
	linear,
	runWorkflow,
	searchList,
	type EngineOptions,
	type EngineRun,
	type NodeSpec,
} from '../../scripts/engine';
import { EmbeddingsGenerationGateway } from '../../nodes/EmbeddingsGenerationGateway/EmbeddingsGenerationGateway.node';
import { LmChatGenerationGateway } from '../../nodes/LmChatGenerationGateway/LmChatGenerationGateway.node';
import { packageWith, typeOf } from '../../scripts/package';
import { modelId, useGateway } from '../support/gateway';
import { rootOf } from '../support/rootNode';
import { json, useStubGateway } from '../support/stubGateway';

const gateway = useGateway();
const stub = useStubGateway();
const ROOT = 'Store';
const SUB = 'Sub';

interface Embeddings {
	embedDocuments(texts: string[]): Promise<number[][]>;
	embedQuery(text: string): Promise<number[]>;
}

async function plug(
	sub: 'embeddings' | 'lmChat',
	parameters: IDataObject,
	work: (plugged: never) => Promise<IDataObject>,
	url = gateway.sandbox.url,
	more: Partial<EngineOptions> = {},
): Promise<EngineRun> {
	const connection =
		sub === 'embeddings' ? NodeConnectionTypes.AiEmbedding : NodeConnectionTypes.AiLanguageModel;
	const options = packageWith(url, gateway.sandbox.key);
	const plugged: NodeSpec = {
		type: typeOf(`${sub}GenerationGateway`),
		name: SUB,
		credentials: 'generationGatewayApi',
		parameters: parameters as never,
	};
	return await runWorkflow(
		linear(itemsNode([{}]), {
			type: 'test.store',
			name: ROOT,
			subNodes: { [connection]: [plugged] },
		}),
		{
			...options,
			...more,
			nodeTypes: { ...options.nodeTypes, 'test.store': rootOf(connection, work as never) },
		},
	);
}

/** The messages of the failure at every level, because n8n wraps what a sub-node throws. */
function errorTextOf(run: EngineRun): string {
	const layers = [run.nodeError(SUB), run.error, run.error?.cause] as (
		{ message?: string; description?: string } | undefined
	)[];
	return layers.map((layer) => `${layer?.message} ${layer?.description}`).join('\n');
}

const small = { model: modelId('text-embedding-3-small') };
const texts = (count: number) => Array.from({ length: count }, (_, row) => `row ${row}`);
const calls = () => gateway.sandbox.requests.filter(({ path }) => path === '/v1/embeddings');

describe('embeddings under a vector store', () => {
	it('embed documents in order, in as few requests as the batch size allows', async () => {
		const run = await plug(
			'embeddings',
			{ ...small, options: { batchSize: 20 } },
			async (embeddings: Embeddings) => {
				const vectors = await embeddings.embedDocuments(texts(50));
				const alone = await embeddings.embedQuery('row 33');
				return {
					count: vectors.length,
					same: JSON.stringify(vectors[33]) === JSON.stringify(alone),
					size: alone.length,
				};
			},
		);

		expect(run.json(ROOT)).toEqual([{ count: 50, same: true, size: 64 }]);
		expect(calls().map(({ body }) => (body as { input: string[] }).input.length)).toEqual([
			20, 20, 10, 1,
		]);
		expect(calls()[0]).toMatchObject({
			body: { model: 'text-embedding-3-small' },
			headers: { authorization: 'Bearer sandbox-key' },
		});
	});

	it('embed no documents without a request', async () => {
		const run = await plug('embeddings', small, async (embeddings: Embeddings) => ({
			vectors: await embeddings.embedDocuments([]),
		}));

		expect(run.json(ROOT)).toEqual([{ vectors: [] }]);
		expect(calls()).toEqual([]);
	});

	it('log their texts and vectors in the editor', async () => {
		const run = await plug('embeddings', small, async (embeddings: Embeddings) => {
			await embeddings.embedDocuments(texts(3));
			await embeddings.embedQuery('row 1');
			return {};
		});

		expect([run.json(SUB, 0, 0), run.json(SUB, 0, 1)]).toEqual([
			[{ response: { embeddings: 3 } }],
			[{ response: { dimensions: 64 } }],
		]);
	});

	it('report what happened, and what to do next', async () => {
		gateway.sandbox.settings.quotaExhausted = true;
		const run = await plug('embeddings', small, async (embeddings: Embeddings) => ({
			vectors: await embeddings.embedDocuments(texts(3)),
		}));

		expect(run.status).toBe('error');
		expect(run.error).toMatchObject({
			message: expect.stringContaining('Insufficient balance'),
			description: expect.stringContaining('Top up the account'),
		});
		expect(run.nodeError(SUB)?.message).toBe(run.error?.message);
		expect(calls()).toHaveLength(1);
	});

	it('say that they may be billed where the answer was lost', async () => {
		stub.answer = (response) => void response.destroy();
		const run = await plug(
			'embeddings',
			small,
			async (embeddings: Embeddings) => ({ vectors: await embeddings.embedDocuments(texts(3)) }),
			stub.url,
		);

		expect(run.nodeError(SUB)?.description).toMatch(
			/<br>Not known whether it was carried out and billed\.$/,
		);
	});

	it('refuse documents of which one is refused, in the words of the gateway', async () => {
		stub.answer = (response, { input }) => {
			const list = input as string[];
			if (list.includes('row 2'))
				return json(response, { error: { message: 'A text is too long' } }, 400);
			json(response, { data: list.map((_, index) => ({ index, embedding: [index] })) });
		};
		const run = await plug(
			'embeddings',
			small,
			async (embeddings: Embeddings) => ({ vectors: await embeddings.embedDocuments(texts(5)) }),
			stub.url,
		);

		expect(run.error?.message).toContain('A text is too long');
	});

	it('need a model', async () => {
		const run = await plug('embeddings', { model: modelId('={{ "" }}') }, async () => ({}));

		expect(errorTextOf(run)).toContain('Model is empty');
	});

	it('offer the models for embeddings', async () => {
		const { results } = await searchList(
			{ type: typeOf('embeddingsGenerationGateway') },
			'searchModels',
			{},
			gateway.options(),
		);

		expect(results.map(({ value }) => value)).toEqual([
			'text-embedding-3-small',
			'text-embedding-3-large',
		]);
	});
});

describe.each([
	['embeddings', 'text-embedding-3-small', new EmbeddingsGenerationGateway()],
	['lmChat', 'gp-5', new LmChatGenerationGateway()],
] as const)('the options of %s', (sub, id, { description }) => {
	const model = modelId(id);
	const { options: listed } = description.properties.find(({ name }) => name === 'options')!;
	const numbers = (listed as INodeProperties[]).filter(({ type }) => type === 'number');

	it.each(numbers)('refuse what is no number: $displayName', async ({ name, displayName }) => {
		const options = { [name]: '={{ "many" }}' };
		const run = await plug(sub, { model, options }, async () => ({}));

		expect(errorTextOf(run)).toMatch(
			new RegExp(
				`${displayName.replace(/[()]/g, '\\$&')} must be a.* number, but is the text "many"`,
			),
		);
		expect(gateway.sandbox.requests).toEqual([]);
	});
});

describe('a chat model under an agent', () => {
	const supplied = async (model: string) =>
		await plug('lmChat', { model: modelId(model) }, async () => ({ supplied: true }));

	it('says what to do in an n8n that takes no chat models from packages', async () => {
		const run = await supplied('gp-5-codex');

		expect(run.status).toBe('error');
		// n8n 1.x shows the message only.
		expect(run.nodeError(SUB)?.message).toMatch(
			/^This version of n8n cannot take chat models from community packages\. Update n8n to 2\.x\./,
		);
		// Running again never helps.
		expect(run.nodeError(SUB)?.description).toBe('Update n8n, or use the other node.');
	});

	it.each([
		['clipk-v3', 'Model clipk-v3 is for videos, not text. Choose another one'],
		['={{ "" }}', 'Model is empty'],
	])('that is no chat model is refused: %s', async (model, words) => {
		expect(errorTextOf(await supplied(model))).toContain(words);
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it('is checked against the limits of the endpoint, also where an expression gives the value', async () => {
		const options = { temperature: '={{ "7" }}', top_p: 3, frequency_penalty: -2 };
		const run = await plug('lmChat', { model: modelId('gp-5'), options }, async () => ({
			supplied: true,
		}));

		expect(errorTextOf(run)).toContain('Temperature must be 0 to 2, but is 7');
		expect(errorTextOf(run)).toContain('Top P must be 0 to 1, but is 3');
	});

	it.each([true, false])(
		'says what happened where n8n shows only what to do, in a run that streams: %s',
		async (streams) => {
			const options = { temperature: 7 };
			const more = streams ? { mode: 'chat' as const, onChunk: () => undefined } : {};
			const chat = { model: modelId('gp-5'), options };
			const run = await plug('lmChat', chat, async () => ({}), gateway.sandbox.url, more);

			const { message, description } = run.nodeError(SUB) as Error & { description: string };
			expect(message).toContain('Temperature must be 0 to 2, but is 7');
			expect(description.startsWith('Temperature must be 0 to 2')).toBe(streams);
		},
	);

	it('takes no option that its endpoint does not have', async () => {
		const options = { temperature: 1, top_p: 0.5 };
		const run = await plug('lmChat', { model: modelId('gp-5-codex'), options }, async () => ({}));

		expect(errorTextOf(run)).toContain('Remove Top P: gp-5-codex does not take it');
	});

	it('may be any of those that respond lists', async () => {
		const find = async (filter: string) =>
			(
				await searchList(
					{ type: typeOf('lmChatGenerationGateway') },
					'searchModels',
					{ filter },
					gateway.options(),
				)
			).results.map(({ value }) => value);

		expect(await find('codex-mini')).toEqual(['gp-5.1-codex-mini']);
		expect(await find('haiku')).toEqual(['cld-haiku-4.5']);
	});
});
