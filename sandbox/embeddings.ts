import type { FastifyInstance } from 'fastify';
import { hash } from './random';
import { embeddingModels } from './models';
import { HttpError } from './httpError';
import type { Settings } from './settings';
import { readBody } from './tasks';
import { countTokens } from './text/completion';
import { charge, checkModel } from './text/params';
import type { Timers } from './timers';

const DIMENSIONS = 64;

/** A unit vector made of the hashes of each word and its first letters, so that similar texts have similar vectors. */
function createEmbedding(text: string): number[] {
	const vector = new Array<number>(DIMENSIONS).fill(0);
	for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
		for (const [key, weight] of [
			[word, 1],
			[`${word.slice(0, 4)}~`, 0.5],
		] as const) {
			const h = hash(key);
			const at = h % DIMENSIONS;
			vector[at] = (vector[at] as number) + ((h >>> 16) % 2 === 0 ? weight : -weight);
		}
	}
	const length = Math.hypot(...vector) || 1;
	return vector.map((value) => Number((value / length).toFixed(6)));
}

function readTexts(input: unknown): string[] {
	const texts = typeof input === 'string' ? [input] : input;
	const good =
		Array.isArray(texts) &&
		texts.length > 0 &&
		texts.every((text) => typeof text === 'string' && text !== '');
	if (!good)
		throw new HttpError(400, 'input must be a non-empty string or an array of those.', 'input');
	return texts as string[];
}

/** Embeddings (section 2.5). The two models are examples there; `extraTextModels` adds more. */
export function addEmbeddings(app: FastifyInstance, settings: Settings, timers: Timers): void {
	app.post('/v1/embeddings', async (request) => {
		const body = readBody(request);
		const model = checkModel(body.model, embeddingModels, settings);
		const texts = readTexts(body.input);
		charge(settings);
		await timers.delay(settings.chatMs);
		const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
		return {
			object: 'list',
			model,
			data: texts.map((text, index) => ({
				object: 'embedding',
				index,
				embedding: createEmbedding(text),
			})),
			usage: { prompt_tokens: tokens, total_tokens: tokens },
		};
	});
}
