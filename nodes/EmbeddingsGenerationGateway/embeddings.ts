import { NodeConnectionTypes, type IDataObject, type ISupplyDataFunctions } from 'n8n-workflow';
import { createNodeError } from '../n8n/items/failure';

/** What n8n's vector stores call. The calls show in the editor, like those of n8n's own nodes. */
export function createEmbeddingsModel(
	context: ISupplyDataFunctions,
	embed: (texts: string[]) => Promise<number[][]>,
) {
	async function embedAndShow(
		input: IDataObject,
		texts: string[],
		describe: (vectors: number[][]) => IDataObject,
	): Promise<number[][]> {
		const connection = NodeConnectionTypes.AiEmbedding;
		const { index } = context.addInputData(connection, [[{ json: input }]]);
		try {
			const vectors = await embed(texts);
			context.addOutputData(connection, index, [[{ json: { response: describe(vectors) } }]]);
			return vectors;
		} catch (error) {
			const failure = createNodeError(context.getNode(), error);
			context.addOutputData(connection, index, failure);
			throw failure;
		}
	}

	return {
		async embedDocuments(documents: string[]) {
			const describe = ({ length }: number[][]) => ({ embeddings: length });
			const vectors = await embedAndShow({ documents }, documents, describe);
			context.logAiEvent('ai-document-embedded');
			return vectors;
		},
		async embedQuery(query: string) {
			const describe = ([vector]: number[][]) => ({ dimensions: vector!.length });
			const [vector] = await embedAndShow({ query }, [query], describe);
			context.logAiEvent('ai-query-embedded');
			return vector!;
		},
	};
}
