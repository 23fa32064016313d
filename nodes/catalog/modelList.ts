import { describeActions } from './actions';
import { findLimitProblem } from './limits';
import { LISTED_KINDS } from './listedKinds';
import { estimateCost, formatUsd, listPrices } from './pricing';
import type { Media, Price, Scalar } from './schema';
import { findModelSpec, modelSpecs, servedSpecs, type KnownModelSpec } from './modelSpec';

export type ServedModel = ReturnType<typeof listServedModels>[number];

/** Grouped by the first word of the ID: the group with the cheapest model first; in a group, the newest model. */
export function listServedModels(media?: Media) {
	const served = servedSpecs.filter((spec) => !media || spec.media === media);
	const wordOf = ({ id, media: of }: KnownModelSpec) => `${of} ${id.split('-')[0]}`;
	const cheapest = (spec: KnownModelSpec) => {
		const group = served.filter((other) => wordOf(other) === wordOf(spec));
		return Math.min(...group.map(({ price }) => lowestUsd(price)));
	};
	const versionOf = ({ id }: KnownModelSpec) => Number(/\d+(\.\d+)?/.exec(id)?.[0] ?? 0);
	const order = new Map(served.map((spec) => [spec, cheapest(spec)]));
	const compare = (a: KnownModelSpec, b: KnownModelSpec) =>
		wordOf(a) === wordOf(b)
			? versionOf(b) - versionOf(a)
			: order.get(a)! - order.get(b)! || (wordOf(a) < wordOf(b) ? -1 : 1);
	return [...served].sort(compare).map((spec) => {
		const { id, family } = spec;
		const [price, abilities] = [examplePrice(spec), describeAbilities(spec)];
		const actions = Object.values({
			...spec.fields.action?.choiceLabels,
			...describeActions({ ...spec, rules: [] }),
		});
		const words = [id, family, SYNONYMS[spec.media], price, abilities, ...spec.actions, ...actions];
		const searchText = words.join(' ').toLowerCase().replace('sound', 'sound audio');
		return { id, family, price, abilities, searchText };
	});
}

/** Other words for what a model makes. */
const SYNONYMS: Record<Media, string> = {
	image: 'image picture photo drawing',
	video: 'video clip film movie animation',
};

/** From what, how long, how large: `text, images · max 15 s, 4K, sound`. Short, since the list in the panel is narrow. */
function describeAbilities({ fields }: KnownModelSpec): string {
	const { duration, resolution, audio, generate_audio, image_urls, video_urls } = fields;
	const sources = ['text', image_urls && 'images', video_urls && 'videos'].filter(Boolean);
	const longest = duration?.max ?? duration?.enum?.at(-1);
	const sizes = resolution?.enum ?? [];
	const largest = sizes.length > 1 && nameSize(String(sizes.at(-1)));
	const limits = [longest && `${longest} s`, largest].filter(Boolean).join(', ');
	const sound = (audio ?? generate_audio) && 'sound';
	const extent = [limits && `max ${limits}`, sound].filter(Boolean).join(', ');
	return [sources.join(', '), extent].filter(Boolean).join(' · ');
}

/** `4mp` → `4 MP`, `2k` → `2K`. */
const nameSize = (size: string): string => size.replace(/mp$/, ' MP').replace(/k$/, 'K');

/** `Infinity` where no price is stated. */
const lowestUsd = (price: Price): number => Math.min(...listPrices(price));

/** The price depends on the request, e.g. on the size. */
const hasTiers = (price: Price): boolean => new Set(listPrices(price)).size > 1;

export const NO_PRICE = 'price not stated';
const USUAL = { seconds: 5, resolution: '720p' };

/** For a usual size: `5 s at 720p: $0.36`, `from $0.0133 per image` */
function examplePrice(spec: KnownModelSpec): string {
	const { price, fields } = spec;
	if (price.per === 'unknown') return NO_PRICE;
	if (price.per === 'image') {
		const from = hasTiers(price) ? 'from ' : '';
		return `${from}${formatUsd(Number(lowestUsd(price).toPrecision(3)))} per image`;
	}
	const takes = (name: string, value: Scalar) =>
		findLimitProblem(value, fields[name] ?? {}) ? fields[name]?.default : value;
	const duration = takes('duration', USUAL.seconds);
	const resolution = takes('resolution', USUAL.resolution);
	const cost = estimateCost(spec, { duration, resolution });
	if (!('usd' in cost)) return NO_PRICE;
	const usd = Number(cost.usd < 0.1 ? cost.usd.toPrecision(2) : cost.usd.toFixed(2));
	return `${duration} s at ${resolution}: ${formatUsd(usd)}`;
}

/** `0.0425 USD per image`, `From 0.0391 USD per second`, or that none is stated. */
export function describePrice(price: Price): string {
	if (price.per === 'unknown') return 'No stated price';
	return `${hasTiers(price) ? 'From ' : ''}${lowestUsd(price)} USD per ${price.per}`;
}

/** The models that take `asset://` references: spec section 2.4. */
export function listAssetModels(): string[] {
	return modelSpecs
		.filter(({ fields }) => Object.values(fields).some(({ assets }) => assets))
		.map(({ id }) => id);
}

/** The models of all kinds, those of the tables first. */
export function listKnownModels() {
	const fromTables = servedSpecs.map(({ id, media }) => ({ id, kind: media }));
	const fromLists = [...LISTED_KINDS]
		.filter(([id]) => !findModelSpec(id))
		.map(([id, kind]) => ({ id, kind }));
	return [...fromTables, ...fromLists];
}
