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

/** Embeds the texts of all items in few requests. A text that is refused is found by halving its batch. */
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

	/** `isHalf`: the texts are the reason, not the request. */
	private async embedBatch(batch: Waiting[], isHalf = false): Promise<void> {
		const refusal = await this.tryBatch(batch, isHalf);
		if (!refusal) return;
		if (!isHalf) {
			// A short text cannot be the reason.
			this.probe ??= this.request(['test']).then(() => false, isRefusal);
			if (await this.probe) return rejectAll(batch, refusal);
		}
		const half = Math.ceil(batch.length / 2);
		const parts = [batch.slice(0, half), batch.slice(half)];
		await Promise.all(parts.map((part) => this.embedBatch(part, true)));
	}

	/** Sends a batch. Returns the refusal where one of several texts may be the reason. */
	private async tryBatch(batch: Waiting[], isHalf: boolean): Promise<GatewayError | undefined> {
		try {
			const { vectors, model, usage } = await this.request(batch.map(({ text }) => text));
			this.probe = undefined;
			batch.forEach(({ resolve }, index) =>
				resolve({ embedding: vectors[index]!, model, usage, batchSize: batch.length }),
			);
			return undefined;
		} catch (error) {
			if (isRefusal(error) && batch.length > 1) return error;
			const [{ text }] = batch as [Waiting];
			const isOfText = isHalf && isRefusal(error);
			rejectAll(batch, isOfText ? error.addDetails({ text: text.slice(0, 200) }) : error);
			return undefined;
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
