import type { IExecuteFunctions } from 'n8n-workflow';
import { recordProcessed } from '../../n8n/processedData';

/** Checks again whether the claim holds: of two that record it at once, the last one wins. */
export type ConfirmClaim = () => Promise<boolean>;

/**
 * Claims a task whose key other workers may use, for this execution. No reply says who made a task, so all of
 * them record it in n8n's table.
 */
export function claimTask(context: IExecuteFunctions, taskId: string): ConfirmClaim {
	const taskOfExecution = `${taskId} ${context.getExecutionId()}`;
	const record = async (): Promise<boolean> => {
		try {
			const known = await recordProcessed(context, [taskId, taskOfExecution]);
			return !known.has(taskId) || known.has(taskOfExecution);
		} catch {
			// The workflow was never saved, so it runs in the editor only.
			return true;
		}
	};
	let isOwn = record();
	return async () => {
		if (await isOwn) isOwn = record();
		return await isOwn;
	};
}
