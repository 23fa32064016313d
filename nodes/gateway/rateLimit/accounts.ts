import type { Clock } from '../context';
import { RateLimiter } from './limiter';

/** Limits of a gateway are stated per second or minute, so after this time what was learned is not worth keeping. */
const UNUSED_MS = 15 * 60_000;
/** Accounts that are remembered at once. */
const MOST_ACCOUNTS = 100;

interface Known {
	limiter: RateLimiter;
	usedAt: number;
}

/** By account, least recently used first. */
const known = new Map<string, Known>();

/** The limiter that all clients of an account in this process share. `account` is a hash, never a key in plain text. */
export function limiterOf(account: string, clock: Clock): RateLimiter {
	const now = clock.now();
	const limiter = known.get(account)?.limiter ?? new RateLimiter(clock);
	known.delete(account);
	known.set(account, { limiter, usedAt: now });
	for (const [other, { limiter: old, usedAt }] of known) {
		const isUnused = now - usedAt > UNUSED_MS && old.isIdle;
		if (!isUnused && known.size <= MOST_ACCOUNTS) break;
		if (other !== account) known.delete(other);
	}
	return limiter;
}

/** Forgets all accounts, so that one test does not learn from another. */
export const forgetAccounts = (): void => known.clear();
