import { describeActions } from './actions';
import { joinWords } from './labels';
import type { Field, Media, Price } from './schema';
import { findModelSpec, modelSpecs, type KnownModelSpec } from './modelSpec';
import { AUDIO_MODELS, EMBEDDING_MODELS, textEndpoints } from './textEndpoints';

/** A model to choose from. */
export interface ServedModel {
	id: string;
	media: Media;
	family: string;
	/** In words: `From 0.0391 USD per second`. */
	price: string;
	/** Price and abilities, short: `$0.0425 per image, up to 4K, references`. */
	summary: string;
	/** Everything by which people look for it, in lower case. */
	searchText: string;
	/** The lowest stated price of its unit; undefined where none is stated. */
	lowestUsd?: number;
}

/** The models to choose from, in the order of the tables. */
export function listServedModels(media?: Media): ServedModel[] {
	return modelSpecs
		.filter((spec) => !spec.deprecated && (!media || spec.media === media))
		.map((spec) => {
			const { id, family, price } = spec;
			const summary = [shortPrice(price), ...describeAbilities(spec)].join(', ');
			const actions = Object.values({
				...spec.fields.action?.choiceLabels,
				...describeActions(spec.actions, [], spec.fields),
			});
			const words = [id, family, SYNONYMS[spec.media], summary, ...spec.actions, ...actions];
			return {
				id,
				media: spec.media,
				family,
				price: describePrice(price),
				summary,
				searchText: words.join(' ').toLowerCase(),
				lowestUsd: lowestUsd(price),
			};
		});
}

/** Other words for what a model makes. */
const SYNONYMS: Record<Media, string> = {
	image: 'image picture photo drawing',
	video: 'video clip film movie animation',
};

/** What a model can, as far as its table tells: `3-15 s`, `up to 4K`, `sound`, `4 references`. */
function describeAbilities({ media, fields, actions }: KnownModelSpec): string[] {
	const { duration, resolution, audio, generate_audio, image_urls: references } = fields;
	const most = references?.maxItems;
	const takesImages =
		media === 'video'
			? 'from images'
			: `${most ? `${most} ` : ''}reference${most === 1 ? '' : 's'}`;
	const sizes = resolution?.enum ?? [];
	return [
		media === 'video' && duration ? describeDuration(duration) : '',
		sizes.length > 1 ? `up to ${sizes.at(-1)}` : '',
		audio || generate_audio ? 'sound' : '',
		actions.includes('extend') ? 'extends videos' : '',
		references ? takesImages : '',
	].filter(Boolean);
}

const describeDuration = ({ enum: accepted, min, max }: Field): string =>
	accepted ? `${joinWords(accepted)} s` : `${min}-${max} s`;

function lowestUsd(price: Price): number | undefined {
	if (price.per === 'unknown') return undefined;
	const rates = [price.usd, ...(price.overrides ?? []).map(({ usd }) => usd)];
	const amounts = rates
		.flatMap((rate) => (typeof rate === 'number' ? [rate] : Object.values(rate)))
		.filter((amount) => typeof amount === 'number');
	return Math.min(...amounts);
}

/** `$0.0133 per image`, `from $0.0391 per second`. */
function shortPrice(price: Price): string {
	if (price.per === 'unknown') return 'price not stated';
	const amount = Number(lowestUsd(price)!.toPrecision(3));
	return `${price.per === 'second' ? 'from ' : ''}$${amount} per ${price.per}`;
}

/** `0.0425 USD per image`, `from 0.0391 USD per second`, or that none is stated. */
export function describePrice(price: Price): string {
	if (price.per === 'unknown') return 'No stated price';
	if (price.per === 'image') return `${price.usd} USD per image`;
	const isOne = typeof price.usd === 'number' && !price.overrides;
	return `${isOne ? '' : 'From '}${lowestUsd(price)} USD per second`;
}

/** The models that take `asset://` references: spec section 2.4. */
export function listAssetModels(): string[] {
	return modelSpecs
		.filter(({ fields }) => Object.values(fields).some(({ assets }) => assets))
		.map(({ id }) => id);
}

/** What models make or take: media, and what the text, speech and embedding endpoints do. */
export const MODEL_KINDS = ['image', 'video', 'text', 'audio', 'embedding'] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];
/** The kinds that have no tables but lists of IDs, which are examples (spec section 2.5). */
export const LIST_KINDS: readonly ModelKind[] = ['text', 'audio', 'embedding'];

const LISTED_KINDS: ReadonlyMap<string, ModelKind> = new Map(
	Object.entries({
		text: Object.values(textEndpoints).flatMap(({ models }): readonly string[] => models),
		audio: AUDIO_MODELS,
		embedding: EMBEDDING_MODELS,
	}).flatMap(([kind, ids]) => ids.map((id) => [id, kind as ModelKind] as const)),
);

/** The kind of a model that a table or a list of the spec has, deprecated or not; undefined for any other. */
export const getModelKind = (id: string): ModelKind | undefined =>
	findModelSpec(id)?.media ?? LISTED_KINDS.get(id);

/** A model of a table or a list. */
export interface KnownModel {
	id: string;
	kind: ModelKind;
}

/** Every model to choose from, of all kinds: those of the tables first. */
export function listKnownModels(): KnownModel[] {
	const fromTables = modelSpecs
		.filter(({ deprecated }) => !deprecated)
		.map(({ id, media }) => ({ id, kind: media }));
	const fromLists = [...LISTED_KINDS]
		.filter(([id]) => !findModelSpec(id))
		.map(([id, kind]) => ({ id, kind }));
	return [...fromTables, ...fromLists];
}
