import { NodeConnectionTypes, type IDataObject, type ISupplyDataFunctions } from 'n8n-workflow';
import { createNodeError } from '../n8n/items/failure';

/** What n8n's vector stores call. The calls show in the editor, like those of n8n's own nodes. */
export function createEmbeddingsModel(
	context: ISupplyDataFunctions,
	embed: (texts: string[]) => Promise<number[][]>,
) {
	async function logged<Result>(
		input: IDataObject,
		work: () => Promise<Result>,
		describe: (result: Result) => IDataObject,
	): Promise<Result> {
		const connection = NodeConnectionTypes.AiEmbedding;
		const { index } = context.addInputData(connection, [[{ json: input }]]);
		try {
			const result = await work();
			context.addOutputData(connection, index, [[{ json: { response: describe(result) } }]]);
			return result;
		} catch (error) {
			const failure = createNodeError(context.getNode(), error);
			context.addOutputData(connection, index, failure);
			throw failure;
		}
	}

	return {
		async embedDocuments(documents: string[]) {
			const work = () => embed(documents);
			const vectors = await logged({ documents }, work, (result) => ({
				embeddings: result.length,
			}));
			context.logAiEvent('ai-document-embedded');
			return vectors;
		},
		async embedQuery(query: string) {
			const work = async () => (await embed([query]))[0]!;
			const vector = await logged({ query }, work, (result) => ({ dimensions: result.length }));
			context.logAiEvent('ai-query-embedded');
			return vector;
		},
	};
}
