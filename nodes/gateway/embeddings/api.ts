import { write, type GatewayClient } from '../client';
import type { GatewayError } from '../errors';
import type { JsonObject } from '../json';
import type { ResponseReader } from '../request';
import { readEmbeddings, type EmbeddingList } from './schema';

/** Few requests, and responses of a few megabytes. */
export const BATCH_SIZE = 100;
const TIMEOUT_MS = 120_000;

export type EmbeddingParameters = JsonObject & { model: string };

export const toBatches = <T>(all: readonly T[], size: number): T[][] =>
	Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
		all.slice(at * size, (at + 1) * size),
	);

/** POST /v1/embeddings: spec section 2.5. `veto`: see GatewayRequest. */
export async function createEmbeddings(
	client: GatewayClient,
	parameters: EmbeddingParameters,
	input: string[],
	veto?: () => GatewayError | undefined,
): Promise<EmbeddingList> {
	const body = { ...parameters, input };
	const reader: ResponseReader<EmbeddingList> = {
		expects: 'an embedding for each text, all of the same length',
		hint: 'Run again, or set a smaller Batch Size under Options.',
		read(response) {
			const list = readEmbeddings(response);
			return list?.vectors.length === input.length ? list : undefined;
		},
	};
	return await write(client, '/v1/embeddings', reader, { body, veto, timeoutMs: TIMEOUT_MS });
}

/** The vectors of all texts. After the first failure nothing more is sent, since all is lost then. */
export async function embedAll(
	client: GatewayClient,
	parameters: EmbeddingParameters,
	texts: readonly string[],
	batchSize: number,
): Promise<number[][]> {
	let failure: GatewayError | undefined;
	const lists = toBatches(texts, batchSize).map(async (batch) => {
		const list = createEmbeddings(client, parameters, batch, () => failure);
		return await list.catch((error: GatewayError) => {
			throw (failure ??= error);
		});
	});
	return (await Promise.all(lists)).flatMap(({ vectors }) => vectors);
}
