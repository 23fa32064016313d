import {
	concurrencyAnd,
	concurrencyLimit,
	fixedWindow,
	slidingWindow,
	tokenBucket,
	type RateLimit,
} from './rateLimits';

/** Limits as gateways have them. */
export const LIMITS: Record<string, () => RateLimit> = {
	'60 in a minute of the clock': () => fixedWindow(60, 60_000),
	'60 in a minute of the clock that has begun': () => fixedWindow(60, 60_000, 23_000),
	'10 in 10 s of the clock': () => fixedWindow(10, 10_000),
	'10 in 10 s of the clock that have begun': () => fixedWindow(10, 10_000, 3_700),
	'5 in a second of the clock': () => fixedWindow(5, 1_000),
	'5 in a second of the clock that has begun': () => fixedWindow(5, 1_000, 370),
	'300 in a minute of the clock': () => fixedWindow(300, 60_000),
	'60 in any minute': () => slidingWindow(60, 60_000),
	'10 in any 10 s': () => slidingWindow(10, 10_000),
	'5 in any second': () => slidingWindow(5, 1_000),
	'7 in any 3.3 s': () => slidingWindow(7, 3_300),
	'a bucket of 10, one more each second': () => tokenBucket(10, 1_000),
	'a bucket of 60, one more each second': () => tokenBucket(60, 1_000),
	'a bucket of 5, ten more each second': () => tokenBucket(5, 100),
	'a bucket of 1, one more in 2 s': () => tokenBucket(1, 2_000),
	'a bucket of 1, five more each second': () => tokenBucket(1, 200),
	'3 at once and 10 in any 10 s': () => concurrencyAnd(3, slidingWindow(10, 10_000)),
	'8 at once and 60 in a minute of the clock': () => concurrencyAnd(8, fixedWindow(60, 60_000)),
	'5 at once and a bucket of 10, two more each second': () =>
		concurrencyAnd(5, tokenBucket(10, 500)),
	'1 at once': () => concurrencyLimit(1),
	'3 at once': () => concurrencyLimit(3),
	'8 at once': () => concurrencyLimit(8),
	'10 at once': () => concurrencyLimit(10),
};
