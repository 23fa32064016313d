import { redactedHeaders } from 'n8n-workflow';

/** This export came with 2.36. The last releases of 2.34 and 2.35 count as older. */
const isNew = (redactedHeaders as unknown) !== undefined;

/** What differs between versions of n8n. */
export const hostRules = {
	/**
	 * Whether n8n sends a stored item with `error`, `message` and `details` to the error output. Older hosts take
	 * only `error` and `message`.
	 */
	routesStoredFailures: isNew,
	/** Whether n8n runs the calls of an agent in their order. Otherwise it loses answers of those that suspend. */
	runsCallsInOrder: isNew,
};
