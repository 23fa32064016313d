import { GatewayError } from './errors';
import { isPageError } from './response';
import { isOverloadStatus } from './retry';

/**
 * Whether another model may be tried: the request was refused, the gateway is overloaded, or the task ended
 * unpaid. Not where the request may have been carried out, since both would be billed. Not for key, balance,
 * a proxy before the gateway, or the user's stop, which another model does not change.
 */
export function canFallBack(error: unknown): error is GatewayError {
	if (!(error instanceof GatewayError)) return false;
	const { http_status, billed, is_late, task_id, may_have_executed } = error.details;
	// The gateway has refused the submission itself, and no attempt before it had an unknown end.
	const isUndone = task_id === undefined && may_have_executed !== true && !isPageError(error);
	switch (error.code) {
		case 'bad_request':
		case 'not_found':
		case 'forbidden':
		case 'rate_limited':
			return isUndone;
		case 'gateway_error':
			return isUndone && isOverloadStatus(http_status);
		case 'task_failed':
			return billed === 0;
		case 'task_cancelled':
			return is_late === true && billed === 0;
		default:
			return false;
	}
}
