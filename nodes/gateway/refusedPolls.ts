import type { Clock } from './context';
import { GatewayError } from './errors';

/**
 * Refusals in a row, and milliseconds they must last, before they count as the gateway's answer: a
 * replica that lags or the page of a firewall refuses a poll of what goes on.
 */
const PERSISTENT_REFUSALS = 5;
const PERSISTENT_MS = 30_000;

const FINAL_CODES: ReadonlySet<string> = new Set([
	'invalid_api_key',
	'invalid_credential',
	'stopped',
]);

/** No other poll would be answered either. */
const isFinal = (error: unknown): boolean =>
	!(error instanceof GatewayError) || FINAL_CODES.has(error.code);

/** A refused poll gets the same answer for ever, if the gateway means it; anything else may pass. */
export const isRefusal = (error: unknown): boolean =>
	isFinal(error) || (error as GatewayError).isRefused;

/** Tells when the polls of one task or asset are refused for good. */
export class RefusedPolls {
	private refusals = 0;
	private refusedAt = 0;

	constructor(private readonly clock: Clock) {}

	/** A poll was answered. */
	reset(): void {
		this.refusals = 0;
	}

	/** A poll has failed with this error. Whether that ends the wait. */
	isFinal(error: unknown): boolean {
		if (isFinal(error)) return true;
		if (!isRefusal(error)) return false;
		if ((this.refusals += 1) === 1) this.refusedAt = this.clock.now();
		const isLasting = this.clock.now() - this.refusedAt >= PERSISTENT_MS;
		return isLasting && this.refusals >= PERSISTENT_REFUSALS;
	}
}
