import { redactedHeaders } from 'n8n-workflow';

/** What differs between versions of n8n. */
export const hostRules = {
	/**
	 * Whether n8n sends a stored item with `error`, `message` and `details` to the error output. Older hosts take
	 * only `error` and `message`. This export came with 2.36: the last releases of 2.34 and 2.35 count as older.
	 */
	routesStoredFailures: (redactedHeaders as unknown) !== undefined,
};
