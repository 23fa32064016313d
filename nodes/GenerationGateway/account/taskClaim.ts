import type { IExecuteFunctions } from 'n8n-workflow';
import { recordProcessed } from '../../n8n/processedData';

/**
 * An execution's claim to a task whose key other workers may use. No reply says who made a task, so all of
 * them record it in n8n's table.
 */
export class TaskClaim {
	private isOwn: Promise<boolean>;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly taskId: string,
	) {
		this.isOwn = this.record();
	}

	/** Checks again: of two that record it at once, the last one wins. */
	async confirm(): Promise<boolean> {
		if (await this.isOwn) this.isOwn = this.record();
		return await this.isOwn;
	}

	private async record(): Promise<boolean> {
		const { context, taskId } = this;
		const taskOfExecution = `${taskId} ${context.getExecutionId()}`;
		try {
			const known = await recordProcessed(context, [taskId, taskOfExecution]);
			return !known.has(taskId) || known.has(taskOfExecution);
		} catch {
			// The workflow was never saved, so it runs in the editor only.
			return true;
		}
	}
}
