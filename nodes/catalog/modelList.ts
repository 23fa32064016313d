import type { Media, Price } from './schema';
import { modelSpecs } from './modelSpec';

/** The models to choose from, in the order of the tables: ID, title of the family, and price in words. */
export function listServedModels(media?: Media): { id: string; family: string; price: string }[] {
	return modelSpecs
		.filter((spec) => !spec.deprecated && (!media || spec.media === media))
		.map(({ id, family, price }) => ({ id, family, price: describePrice(price) }));
}

/** `0.0425 USD per image`, `from 0.0391 USD per second`, or that none is stated. */
export function describePrice(price: Price): string {
	if (price.per === 'unknown') return 'No stated price';
	if (price.per === 'image') return `${price.usd} USD per image`;
	const rates = [price.usd, ...(price.overrides ?? []).map(({ usd }) => usd)];
	const numbers = rates
		.flatMap((rate) => (typeof rate === 'number' ? [rate] : Object.values(rate)))
		.filter((amount) => typeof amount === 'number');
	const lowest = Math.min(...numbers);
	return `${numbers.length > 1 ? 'From ' : ''}${lowest} USD per second`;
}

/** The models that take `asset://` references: spec section 2.4. */
export function listAssetModels(): string[] {
	return modelSpecs
		.filter(({ fields }) => Object.values(fields).some(({ assets }) => assets))
		.map(({ id }) => id);
}
