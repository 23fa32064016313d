import type { Clock } from './context';
import { GatewayError } from './errors';

/** Refusals since a poll was answered, and how long they last, before they count: a replica may refuse a poll once. */
const PERSISTENT_REFUSALS = 5;
const PERSISTENT_MS = 30_000;

const FINAL_CODES: ReadonlySet<string> = new Set([
	'invalid_api_key',
	'invalid_credential',
	'stopped',
]);

/** No other poll would succeed. */
const endsAllPolls = (error: unknown): boolean =>
	!(error instanceof GatewayError) || FINAL_CODES.has(error.code);

/** The gateway would give the same answer for ever, if it means it. */
export const isPermanent = (error: unknown): boolean =>
	endsAllPolls(error) || (error as GatewayError).isPermanent;

/** Tells when the gateway refuses to poll a task or asset for good. */
export class RefusedPolls {
	private refusals = 0;
	private refusedAt = 0;

	constructor(private readonly clock: Clock) {}

	/** A poll was answered. */
	reset(): void {
		this.refusals = 0;
	}

	/** A poll has failed. Returns whether that ends the wait. */
	endsWait(error: unknown): boolean {
		if (endsAllPolls(error)) return true;
		if (!isPermanent(error)) return false;
		if ((this.refusals += 1) === 1) this.refusedAt = this.clock.now();
		const isLasting = this.clock.now() - this.refusedAt >= PERSISTENT_MS;
		return isLasting && this.refusals >= PERSISTENT_REFUSALS;
	}
}
