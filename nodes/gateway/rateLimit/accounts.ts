import { BoundedMap } from '../boundedMap';
import type { Clock } from '../context';
import { RateLimiter } from './limiter';

/** Limits are stated per second or minute, so what was learned longer ago is not worth keeping. */
const UNUSED_MS = 15 * 60_000;
const MOST_ACCOUNTS = 100;

type Known = { limiter: RateLimiter; usedAt: number };

const isActive = ({ limiter }: Known): boolean => limiter.pending > 0;
const known = new BoundedMap<string, Known>(MOST_ACCOUNTS, { isActive });

/** The limiter that all clients of an account in this process share. `account` is a hash. */
export function limiterOf(account: string, clock: Clock): RateLimiter {
	const usedAt = clock.now();
	const found = known.get(account);
	const isCurrent = found && (isActive(found) || usedAt - found.usedAt <= UNUSED_MS);
	const limiter = isCurrent ? found.limiter : new RateLimiter(clock);
	return known.set(account, { limiter, usedAt }).limiter;
}

/** For tests: as in a new process. */
export const forgetAccounts = (): void => known.clear();
