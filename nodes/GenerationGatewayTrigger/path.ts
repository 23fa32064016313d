import { fromParameter, webhookDescriptionFields } from 'n8n-workflow';

/** Missing in older hosts. */
const declareFields = webhookDescriptionFields as typeof webhookDescriptionFields | undefined;

/**
 * The last part of the callback URL. Newer hosts read it without evaluating the expression, which for a
 * short callback is a good part of the work.
 */
export const callbackPath = declareFields
	? declareFields({ path: fromParameter('secret', 'callback') })
	: { path: '={{$parameter["secret"] || "callback"}}' };
