import type { GatewayClient } from '../client';
import { GatewayError } from '../errors';
import { BATCH_SIZE, createEmbeddings, toBatches, type EmbeddingParameters } from './api';

export interface Vector {
	embedding: number[];
	model?: string;
	/** Tokens of the whole request, and how many texts it had. */
	usage?: Record<string, unknown>;
	batchSize: number;
}

interface Waiting {
	text: string;
	resolve: (vector: Vector) => void;
	reject: (reason: unknown) => void;
}

/**
 * Returns a function that embeds one text. The texts of all items go into few requests. The function rejects with
 * the gateway's refusal of its text, which is found by halving the batch.
 */
export function createEmbedder(
	client: GatewayClient,
	parameters: EmbeddingParameters,
	batchSize = BATCH_SIZE,
) {
	let waiting: Waiting[] = [];
	/** Whether the request itself is refused, e.g. its model. Found out once, and anew after texts were embedded. */
	let probe: Promise<boolean> | undefined;
	const request = (input: string[]) => createEmbeddings(client, parameters, input);

	function flush(): void {
		const batches = toBatches(waiting, batchSize);
		waiting = [];
		for (const batch of batches) void embedBatch(batch);
	}

	/** `isHalf`: the texts are the reason, not the request. */
	async function embedBatch(batch: Waiting[], isHalf = false): Promise<void> {
		try {
			const { vectors, model, usage } = await request(batch.map(({ text }) => text));
			probe = undefined;
			batch.forEach(({ resolve }, index) =>
				resolve({ embedding: vectors[index]!, model, usage, batchSize: batch.length }),
			);
		} catch (error) {
			if (!isRefusal(error)) return rejectAll(batch, error);
			if (batch.length === 1) {
				if (isHalf) error.addDetails({ text: batch[0]!.text.slice(0, 200) });
				return rejectAll(batch, error);
			}
			if (!isHalf) {
				// A short text cannot be the reason.
				probe ??= request(['test']).then(() => false, isRefusal);
				if (await probe) return rejectAll(batch, error);
			}
			const halves = toBatches(batch, Math.ceil(batch.length / 2));
			await Promise.all(halves.map((half) => embedBatch(half, true)));
		}
	}

	return async (text: string): Promise<Vector> =>
		await new Promise((resolve, reject) => {
			if (waiting.push({ text, resolve, reject }) === 1) void Promise.resolve().then(flush);
		});
}

const isRefusal = (error: unknown): error is GatewayError =>
	error instanceof GatewayError && error.code === 'bad_request';

function rejectAll(batch: readonly Waiting[], error: unknown): void {
	for (const { reject } of batch) reject(error);
}
