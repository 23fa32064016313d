import { GatewayError } from './errors';

/** The model or its upstream has no capacity now (spec section 7 names 502 so). Of the other 5xx nobody knows what was done. */
const OVERLOADED: ReadonlySet<unknown> = new Set([502, 503]);

/**
 * Whether another model may be asked instead: the request was refused for what it asks for or for the
 * load, or its task ended unpaid. Never where the request may have been carried out, for both would be
 * billed; never for the key, the balance or the user's stop, which another model does not change.
 */
export function canFallBack(error: unknown): error is GatewayError {
	if (!(error instanceof GatewayError)) return false;
	const { http_status, billed, is_late } = error.details;
	switch (error.code) {
		case 'bad_request':
		case 'not_found':
		case 'forbidden':
		case 'rate_limited':
			return true;
		case 'gateway_error':
			return OVERLOADED.has(http_status);
		case 'task_failed':
			return billed === 0;
		case 'task_cancelled':
			return is_late === true && billed === 0;
		default:
			return false;
	}
}
