import type { IExecuteFunctions } from 'n8n-workflow';
import { recordProcessed } from '../../n8n/processedData';

/**
 * The claim of an execution to a task whose key other executions may use, on other workers too. Nothing
 * in the gateway's reply says who has made a task, so all of them record it in one place.
 */
export class TaskClaim {
	private readonly entries: [task: string, taskOfExecution: string];
	private isOwn: Promise<boolean>;

	constructor(
		private readonly context: IExecuteFunctions,
		taskId: string,
	) {
		this.entries = [taskId, `${taskId} ${context.getExecutionId()}`];
		this.isOwn = this.record();
	}

	/** Asks again: of two that recorded it at the same moment the last one wins. */
	async confirm(): Promise<boolean> {
		if (await this.isOwn) this.isOwn = this.record();
		return await this.isOwn;
	}

	private async record(): Promise<boolean> {
		const { context, entries } = this;
		const scope = `${context.getWorkflow().id} ${context.getNode().id}`;
		const [task, taskOfExecution] = entries;
		try {
			const known = await recordProcessed(context, scope, entries);
			return !known.has(task) || known.has(taskOfExecution);
		} catch {
			// A workflow that was never saved runs in the editor only.
			return true;
		}
	}
}
