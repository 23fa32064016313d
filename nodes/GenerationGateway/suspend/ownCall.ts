import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** Anything that can send a request: a node that runs, and one that is called back. */
export interface Caller {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest'>;
}

/**
 * `over`: the execution waits at this node no longer. `failed`: it has ended with an error, which a stop
 * by the user is for n8n. `running`: it has gone on or is not saved yet.
 */
export type OwnCallOutcome = 'over' | 'failed' | 'running' | 'unknown';

/** Older hosts give no answer at all where another node waits. */
const TIMEOUT_MS = 60_000;
const NOT_AWAITED = 410;
const CONFLICT = 409;
/** As all hosts say it. */
const FAILED = 'finished with error';

/** A call of the node to its own link, for the suspension that waits for this task. */
export async function callOwnLink(
	{ helpers }: Caller,
	url: string,
	taskId: string,
): Promise<OwnCallOutcome> {
	try {
		const { statusCode, body } = (await helpers.httpRequest({
			method: 'POST',
			url,
			body: { suspendedFor: taskId },
			json: true,
			timeout: TIMEOUT_MS,
			// n8n sends a call to an execution that waits at a form on to that form.
			disableFollowRedirect: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
		})) as { statusCode: number; body?: { message?: string } };
		if (statusCode === CONFLICT) return body?.message?.includes(FAILED) ? 'failed' : 'running';
		const isRedirect = statusCode >= 300 && statusCode < 400;
		return isRedirect || statusCode === 404 || statusCode === NOT_AWAITED ? 'over' : 'unknown';
	} catch {
		return 'unknown';
	}
}

/** Whether a call is one of the node's own for a suspension that is over, though another one waits at the same link. */
export function isForOtherSuspension(body: IDataObject, taskIds: readonly string[]): boolean {
	const { suspendedFor } = body;
	return typeof suspendedFor === 'string' && !taskIds.includes(suspendedFor);
}
