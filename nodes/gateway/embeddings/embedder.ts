import type { IDataObject } from 'n8n-workflow';
import { readEmbeddings, type EmbeddingList } from './schema';
import type { GatewayClient } from '../client';
import { GatewayError } from '../errors';

export interface Vector {
	embedding: number[];
	model?: string;
}

interface Waiting {
	text: string;
	resolve: (vector: Vector) => void;
	reject: (reason: unknown) => void;
}

/** Texts in one request unless the user says otherwise: few requests, and replies of a few megabytes. */
export const BATCH_SIZE = 100;

/**
 * Gathers the texts that are asked for in the same turn, from all items, and embeds them in as few
 * requests as the size allows. A text that the gateway refuses is found by halving its batch, so the
 * others go through.
 */
export class Embedder {
	private waiting: Waiting[] = [];
	private readonly size: number;

	constructor(
		private readonly client: GatewayClient,
		private readonly parameters: IDataObject & { model: string },
		size = BATCH_SIZE,
	) {
		this.size = Math.max(1, Math.floor(size) || BATCH_SIZE);
	}

	/** The vector of one text. Rejects with the gateway's refusal of this text alone. */
	async embed(text: string): Promise<Vector> {
		return await new Promise((resolve, reject) => {
			if (this.waiting.push({ text, resolve, reject }) === 1)
				void Promise.resolve().then(() => this.flush());
		});
	}

	private flush(): void {
		const { waiting } = this;
		this.waiting = [];
		for (let at = 0; at < waiting.length; at += this.size)
			void this.send(waiting.slice(at, at + this.size));
	}

	private async send(batch: Waiting[]): Promise<void> {
		try {
			const { vectors, model } = await this.ask(batch.map(({ text }) => text));
			batch.forEach(({ resolve }, index) => resolve({ embedding: vectors[index]!, model }));
		} catch (error) {
			const isRefusal = error instanceof GatewayError && error.details.http_status === 400;
			if (!isRefusal || batch.length === 1) return batch.forEach(({ reject }) => reject(error));
			const half = Math.ceil(batch.length / 2);
			await Promise.all([this.send(batch.slice(0, half)), this.send(batch.slice(half))]);
		}
	}

	private async ask(input: string[]): Promise<EmbeddingList> {
		const body = { ...this.parameters, input };
		const reply = await this.client.request({
			kind: 'write',
			method: 'POST',
			path: '/v1/embeddings',
			body,
			timeoutMs: 120_000,
		});
		const read = readEmbeddings(reply.body);
		if (read?.vectors.length === input.length) return read;
		throw new GatewayError(
			`The gateway sent ${read?.vectors.length ?? 'no'} embeddings for ${input.length} texts`,
			'Run it again, or set a smaller Batch Size under Options.',
			{ retry: true },
		);
	}
}
