import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isPage } from '../../gateway/response';
import { RESUME_PATH } from './resumeLink';

/** A node that runs, or one that is called back. */
export interface Caller {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest'>;
}

/**
 * `over`: the execution does not wait here any more. `failed`: it has ended with an error, e.g. by a stop. `deleted`:
 * n8n does not keep it any more. `running`: it has gone on, or is not saved yet. `again`: n8n cannot answer now,
 * e.g. without its database. `unreachable`: n8n cannot reach its own address, or something before it answers, e.g.
 * a proxy.
 */
type OwnCallOutcome =
	'over' | 'failed' | 'deleted' | 'running' | 'again' | 'unknown' | 'unreachable';

/** Older hosts do not answer where another node waits. */
const TIMEOUT_MS = 60_000;
const NOT_AWAITED = 410;
const CONFLICT = 409;
/** In the words of all hosts. */
const FAILED = 'finished with error';
const DELETED = /^The execution .* does not exist/;
const NOT_FOUND = /\b(execution|webhook|workflow)\b/;
/** To the form at which the execution waits. */
const FORM = new RegExp(`^/[^?]*/${RESUME_PATH}(\\?|$)`);

/** Calls the node's own link, for the suspension that waits for this task. */
export async function callOwnLink(
	{ helpers }: Caller,
	url: string,
	taskId: string,
): Promise<OwnCallOutcome> {
	try {
		const { statusCode, headers, body } = (await helpers.httpRequest({
			method: 'POST',
			url,
			body: { suspendedFor: taskId },
			json: true,
			timeout: TIMEOUT_MS,
			// n8n redirects to a form at which the execution waits.
			disableFollowRedirect: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
		})) as { statusCode: number; headers: IDataObject; body?: { message?: string } };
		if (statusCode === CONFLICT) return body?.message?.includes(FAILED) ? 'failed' : 'running';
		if (statusCode === 404 && DELETED.test(String(body?.message))) return 'deleted';
		const isAtForm = statusCode === 307 && FORM.test(String(headers.location));
		const isNotFound = statusCode === 404 && NOT_FOUND.test(String(body?.message));
		if (isAtForm || isNotFound || statusCode === NOT_AWAITED) return 'over';
		const isElsewhere = (statusCode >= 300 && statusCode < 500) || isPage(body);
		if (isElsewhere) return 'unreachable';
		return statusCode >= 500 ? 'again' : 'unknown';
	} catch (error) {
		return (error as { code?: string }).code === 'ECONNABORTED' ? 'unknown' : 'unreachable';
	}
}

/** Whether the node itself called, for another suspension at the same link. */
export function isForOtherTasks(body: IDataObject | null, taskIds: readonly string[]): boolean {
	// JSON may be null.
	const { suspendedFor } = body ?? {};
	return typeof suspendedFor === 'string' && !taskIds.includes(suspendedFor);
}
