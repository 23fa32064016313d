import type { Media, Price } from './families';
import { sheets } from './modelSpec';

/** The models to choose from, in the order of the tables: name, id, and what the price is based on. */
export function modelMenu(media?: Media): { id: string; family: string; price: string }[] {
  return sheets
    .filter((sheet) => !sheet.gone && (!media || sheet.media === media))
    .map(({ id, family, price }) => ({ id, family, price: priceInWords(price) }));
}

/** `0.0425 USD per image`, `from 0.0391 USD per second`, or that none is stated. */
export function priceInWords(price: Price): string {
  if (price.per === 'unknown') return 'No stated price';
  if (price.per === 'image') return `${price.usd} USD per image`;
  const rates = [price.usd, ...(price.instead ?? []).map(({ usd }) => usd)];
  const numbers = rates.flatMap((rate) => (typeof rate === 'number' ? [rate] : Object.values(rate)));
  const lowest = Math.min(...numbers);
  return `${numbers.length > 1 ? 'From ' : ''}${lowest} USD per second`;
}

/** The models that take `asset://` references: spec section 2.4. */
export function assetModels(): string[] {
  return sheets.filter(({ fields }) => Object.values(fields).some(({ assets }) => assets)).map(({ id }) => id);
}
