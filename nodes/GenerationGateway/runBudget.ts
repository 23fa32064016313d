import type { NodeExecutionHint } from 'n8n-workflow';
import type { CostEstimate } from '../catalog/pricing';
import { quotaToUsd } from '../catalog/quota';
import type { Issue } from '../catalog/validate';
import { escapeHtml } from '../catalog/labels';
import { hasEnded, type Task } from '../gateway/tasks/schema';

/** The user's limits, in USD; undefined where none is set. */
export interface CostLimits {
	perItem?: number;
	perRun?: number;
	/** Tasks without a stated price are sent all the same. */
	sendUnpriced: boolean;
}

const usd = (amount: number) => `${Number(amount.toFixed(6))} USD`;
const named = (field: string, label: string, says: string): Issue => ({
	field,
	message: `${label} (options): ${says}`,
});

/** The money of one run: what was estimated before sending, and what the gateway settled. */
export class RunBudget {
	private reserved = 0;
	/** By ID: two items may share a task, and it is paid once. */
	private readonly tasks = new Map<string, Task>();
	private readonly notes = new Map<string, number>();

	/**
	 * Reserves the estimate of an item, in item order, before anything is sent. Says why it must not be
	 * sent when a maximum would be passed, or cannot be kept because no price is stated.
	 */
	reserve(
		estimate: CostEstimate,
		{ perItem, perRun, sendUnpriced }: CostLimits,
	): Issue | undefined {
		if (perItem === undefined && perRun === undefined) return undefined;
		if ('unknown' in estimate)
			return sendUnpriced
				? undefined
				: named(
						'maximumCost',
						'Maximum Cost',
						`no price is stated for this task (${estimate.unknown}), so the maximum cannot be kept. Remove it, or set Unknown Price to Send`,
					);
		if (perItem !== undefined && estimate.usd > perItem)
			return named(
				'maximumCost',
				'Maximum Cost per Item',
				`the task is estimated at ${usd(estimate.usd)}, and ${usd(perItem)} is allowed. Raise the maximum or ask for less`,
			);
		if (perRun !== undefined && this.reserved + estimate.usd > perRun + 1e-9)
			return named(
				'maximumRunCost',
				'Maximum Cost per Run',
				`the task is estimated at ${usd(estimate.usd)} on top of ${usd(this.reserved)} for the items before it, and ${usd(perRun)} is allowed`,
			);
		this.reserved += estimate.usd;
		return undefined;
	}

	/** Books a task as the gateway last told it. */
	book(task: Task): void {
		this.tasks.set(task.taskId, task);
	}

	/** A remark on an item that is worth saying once for the run. */
	note(message: string): void {
		this.notes.set(message, (this.notes.get(message) ?? 0) + 1);
	}

	/** What the user should know about the run, for the output panel. */
	hints(): NodeExecutionHint[] {
		const hints: NodeExecutionHint[] = [];
		const counted = (count: number) => `${count} ${count === 1 ? 'task' : 'tasks'}`;
		const tasks = [...this.tasks.values()];
		const ended = tasks.filter(hasEnded);
		const settled = ended.reduce((sum, { cost = 0 }) => sum + cost, 0);
		const running = tasks.length - ended.length;
		if (ended.length)
			hints.push({
				message: `${counted(ended.length)} ended and cost ${settled} quota (${usd(quotaToUsd(settled))}).`,
				location: 'outputPane',
			});
		if (running)
			hints.push({
				message: `${counted(running)} still running. Wait for them with Task > Await and their task_id.`,
				location: 'outputPane',
				type: 'info',
			});
		for (const [message, count] of [...this.notes].slice(0, 5))
			hints.push({
				message: escapeHtml(count > 1 ? `${message} (${count} items)` : message),
				location: 'outputPane',
				type: 'warning',
			});
		return hints;
	}
}
