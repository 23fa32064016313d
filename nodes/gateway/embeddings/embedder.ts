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
 * Collects the texts of all items and embeds them in few requests. A text that the gateway refuses is found
 * by halving its batch, so that the others go through.
 */
export class Embedder {
	private waiting: Waiting[] = [];
	/** Whether the request itself is refused, e.g. its model. Found out once, and anew after texts were embedded. */
	private probe: Promise<boolean> | undefined;

	constructor(
		private readonly client: GatewayClient,
		private readonly parameters: EmbeddingParameters,
		private readonly batchSize = BATCH_SIZE,
	) {}

	/** Rejects with the gateway's refusal of this text. */
	async embed(text: string): Promise<Vector> {
		return await new Promise((resolve, reject) => {
			if (this.waiting.push({ text, resolve, reject }) === 1)
				void Promise.resolve().then(() => this.flush());
		});
	}

	private flush(): void {
		const { waiting } = this;
		this.waiting = [];
		for (const batch of toBatches(waiting, this.batchSize)) void this.embedBatch(batch);
	}

	private async embedBatch(batch: Waiting[]): Promise<void> {
		const refusal = await this.tryBatch(batch);
		if (!refusal || batch.length <= 1) return;
		if (await (this.probe ??= this.refusesAll())) return rejectAll(batch, refusal);
		await this.halve(batch);
	}

	/** Sends a short text, which cannot be the reason. */
	private async refusesAll(): Promise<boolean> {
		return await this.request(['test']).then(() => false, isRefusal);
	}

	private async halve(batch: Waiting[]): Promise<void> {
		const half = Math.ceil(batch.length / 2);
		await Promise.all(
			[batch.slice(0, half), batch.slice(half)].map(async (part) => {
				if (part.length && (await this.tryBatch(part)) && part.length > 1) await this.halve(part);
			}),
		);
	}

	/** Sends a batch. Returns the refusal where one of several texts may be the reason. */
	private async tryBatch(batch: Waiting[]): Promise<GatewayError | undefined> {
		try {
			const { vectors, model, usage } = await this.request(batch.map(({ text }) => text));
			this.probe = undefined;
			batch.forEach(({ resolve }, index) =>
				resolve({ embedding: vectors[index]!, model, usage, batchSize: batch.length }),
			);
			return undefined;
		} catch (error) {
			const refusal = isRefusal(error) ? error : undefined;
			if (!refusal || batch.length === 1) rejectAll(batch, error);
			return refusal;
		}
	}

	private readonly request = (input: string[]) =>
		createEmbeddings(this.client, this.parameters, input);
}

const isRefusal = (error: unknown): error is GatewayError =>
	error instanceof GatewayError && error.code === 'bad_request';

function rejectAll(batch: readonly Waiting[], error: unknown): void {
	for (const { reject } of batch) reject(error);
}
