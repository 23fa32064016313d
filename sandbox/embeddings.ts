import type { FastifyInstance } from 'fastify';
import { hash } from './random';
import { embeddingModels } from './models';
import { Refusal } from './httpError';
import type { Settings } from './settings';
import { bodyOf } from './tasks';
import { tokensOf } from './text/completion';
import { charge, checkModel } from './text/params';
import type { Timers } from './timers';

const dimensions = 64;

/** A unit vector in which each word and its first letters pull in a direction: near for similar texts. */
export function embed(text: string): number[] {
	const vector = new Array<number>(dimensions).fill(0);
	for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
		for (const [key, weight] of [
			[word, 1],
			[`${word.slice(0, 4)}~`, 0.5],
		] as const) {
			const h = hash(key);
			const at = h % dimensions;
			vector[at] = (vector[at] as number) + ((h >>> 16) % 2 === 0 ? weight : -weight);
		}
	}
	const length = Math.hypot(...vector) || 1;
	return vector.map((value) => Number((value / length).toFixed(6)));
}

function textsOf(input: unknown): string[] {
	const texts = typeof input === 'string' ? [input] : input;
	const good =
		Array.isArray(texts) &&
		texts.length > 0 &&
		texts.every((text) => typeof text === 'string' && text !== '');
	if (!good)
		throw new Refusal(400, 'input must be a non-empty string or an array of those.', 'input');
	return texts as string[];
}

/** Embeddings (section 2.5). The two models are examples there; `extraTextModels` adds more. */
export function addEmbeddings(app: FastifyInstance, settings: Settings, timers: Timers): void {
	app.post('/v1/embeddings', async (request) => {
		const body = bodyOf(request);
		const model = checkModel(body.model, embeddingModels, settings);
		const texts = textsOf(body.input);
		charge(settings);
		await timers.pause(settings.chatMs);
		const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
		return {
			object: 'list',
			model,
			data: texts.map((text, index) => ({ object: 'embedding', index, embedding: embed(text) })),
			usage: { prompt_tokens: tokens, total_tokens: tokens },
		};
	});
}
