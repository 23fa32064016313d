/** A charge: a whole number (spec section 1.5). Anything else, e.g. an amount in USD, is none. */
export const readQuota = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
