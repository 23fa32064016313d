import { NodeVersionNotFoundError } from 'n8n-workflow';

/** What differs between versions of n8n. */
export const hostRules = {
	/**
	 * Whether n8n sends a stored item with `error`, `message` and `details` to the error output. Older hosts take
	 * only `error` and `message`. This class is a little younger.
	 */
	routesStoredFailures: (NodeVersionNotFoundError as unknown) !== undefined,
};
