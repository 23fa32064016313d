import { AUDIO_MODELS, EMBEDDING_MODELS, textEndpoints } from './textEndpoints';

export const MODEL_KINDS = ['image', 'video', 'text', 'audio', 'embedding'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];
/** What a model of the kind is for. */
export const KIND_NOUNS: Readonly<Record<ModelKind, string>> = {
	image: 'images',
	video: 'videos',
	text: 'text',
	audio: 'speech',
	embedding: 'embeddings',
};
/** Kinds with lists of IDs instead of tables. The lists are examples (spec section 2.5). */
export const LIST_KINDS: readonly ModelKind[] = ['text', 'audio', 'embedding'];

/** By ID. */
export const LISTED_KINDS: ReadonlyMap<string, ModelKind> = new Map(
	Object.entries({
		text: Object.values(textEndpoints).flatMap(({ models }): readonly string[] => models),
		audio: AUDIO_MODELS,
		embedding: EMBEDDING_MODELS,
	}).flatMap(([kind, ids]) => ids.map((id) => [id, kind as ModelKind] as const)),
);
