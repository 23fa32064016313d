/** 500,000 quota are 1 USD: spec section 1.5. */
export const QUOTA_PER_USD = 500_000;

/** Rounded to millionths. */
export const quotaToUsd = (quota: number): number => Number((quota / QUOTA_PER_USD).toFixed(6));
