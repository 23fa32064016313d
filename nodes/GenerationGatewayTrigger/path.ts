import { fromParameter, webhookDescriptionFields } from 'n8n-workflow';

/** Missing in older hosts. */
const declareFields = webhookDescriptionFields as typeof webhookDescriptionFields | undefined;

/** The last part of the callback URL. Newer hosts read it without evaluating an expression. */
export const callbackPath = declareFields
	? declareFields({ path: fromParameter('secret', 'callback') })
	: { path: '={{$parameter["secret"] || "callback"}}' };
