import type { NodeExecutionHint } from 'n8n-workflow';
import { pluralize, escapeHtml, joinWords } from '../../catalog/labels';
import { findModelSpec } from '../../catalog/modelSpec';
import { formatQuota, formatUsd } from '../../catalog/pricing';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import { nameItems } from '../../n8n/items/failure';
import type { ExecutionRecord } from './executionRecord';
import { describeTrace, type TraceAttributes, type TracedAnswer } from './trace';

const LISTED = 5;

/** `2 images, 1 video and 1 cancelled task` */
function describeResults(tasks: readonly Task[]): string {
	const counts = new Map<string, number>();
	for (const { model = '', urls, status } of tasks) {
		const noun = urls.length ? (findModelSpec(model)?.media ?? 'result') : `${status} task`;
		counts.set(noun, (counts.get(noun) ?? 0) + (urls.length || 1));
	}
	return joinWords(
		[...counts].map(([noun, number]) => pluralize(number, noun)),
		'and',
	);
}

/** As far as it is known. */
const costOf = (tasks: readonly Task[]): string =>
	formatQuota(tasks.reduce((sum, { cost = 0 }) => sum + cost, 0));

/** What the user should know about a run: cost, running tasks, warnings. */
export class RunSummary {
	/** By ID: items may share a task. */
	private readonly tasks = new Map<string, Task>();
	private readonly submitted: Task[] = [];
	/** Tasks that another execution has paid. */
	readonly reusedIds = new Set<string>();
	/** With the items that have it. Undefined: not known of which. */
	private readonly warnings = new Map<string, (number | undefined)[]>();
	/** The first one is described, the others are counted. */
	readonly unmarked: string[] = [];
	/** With their usage where the gateway states it. */
	readonly answers: TracedAnswer[] = [];
	/** Of items that are only checked. Rows with one key share a task. */
	readonly estimates: { key: string; usd?: number }[] = [];
	private longestExpectedMs = 0;
	/** The node has waited for its tasks: those that still run take longer. */
	hasWaited = false;
	/** The gateway calls an address of the user when a task has ended. */
	hasCallbackUrl = false;

	/** The last known state of a task. */
	addTask(task: Task): void {
		this.tasks.set(task.taskId, task);
	}

	/** Shown once for the run. */
	addWarning(message: string, index?: number): void {
		const items = this.warnings.get(message) ?? [];
		items.push(index);
		this.warnings.set(message, items);
	}

	/** A new task of this run. `expectedMs`: how long such tasks take. */
	addSubmitted(task: Task, expectedMs = 0): void {
		this.submitted.push(task);
		this.longestExpectedMs = Math.max(this.longestExpectedMs, expectedMs);
	}

	/** For n8n's OpenTelemetry span of the node. */
	tracing(record: ExecutionRecord): TraceAttributes | undefined {
		const made = this.submitted.filter(({ taskId }) => !this.reusedIds.has(taskId));
		return describeTrace(made, this.answers, record);
	}

	/** How long the slowest task probably takes. */
	private expectedEnd(): string {
		const seconds = Math.ceil(this.longestExpectedMs / 1000);
		return seconds ? `; such tasks take about ${seconds} s` : '';
	}

	private describeEstimates(): string {
		const known = this.estimates.filter(({ usd }) => usd !== undefined);
		const prices = new Map(known.map(({ key, usd = 0 }) => [key, usd]));
		const usd = formatUsd([...prices.values()].reduce((sum, one) => sum + one, 0));
		const unstated = this.estimates.length - known.length;
		const parts = [
			known.length && `${pluralize(known.length, 'item')}: ${usd}`,
			unstated && `${pluralize(unstated, 'item')} without a stated price`,
		];
		return `${parts.filter(Boolean).join('; ')}. Nothing was sent`;
	}

	private describeUnmarked(): string {
		const [first, ...others] = this.unmarked;
		return `${first}${others.length ? `. Further files that are not marked: ${others.length}` : ''}`;
	}

	/**
	 * For the output panel. `reusedRows`: that a failed execution has paid for. `reasons`: limits that were passed,
	 * and why items have failed, which is far to the right in the output table.
	 */
	hints(reusedRows: number, reasons: readonly string[], itemCount: number): NodeExecutionHint[] {
		const tasks = [...this.tasks.values()];
		const ended = tasks.filter((task) => hasEnded(task) && !this.reusedIds.has(task.taskId));
		const reused = tasks.filter((task) => hasEnded(task) && this.reusedIds.has(task.taskId));
		const running = tasks.filter((task) => !hasEnded(task)).length;
		const hints: NodeExecutionHint[] = [];
		const add = (message: string, type?: NodeExecutionHint['type']) =>
			hints.push({ message, location: 'outputPane', ...(type && { type }) });
		if (ended.length) add(`${describeResults(ended)}, ${costOf(ended)}`);
		if (reused.length)
			add(
				`${pluralize(reused.length, 'result')} reused from an earlier execution: ${costOf(reused)} saved`,
				'info',
			);
		if (reusedRows)
			add(
				`${pluralize(reusedRows, 'item')} reused from an earlier execution, not sent again`,
				'info',
			);
		if (running) {
			const wait = this.hasCallbackUrl
				? 'The gateway calls Callback URL at the end. To wait here, add Task > Await'
				: `Wait ${this.hasWaited ? 'longer' : running > 1 ? 'for them' : 'for it'} with Task > Await`;
			add(`${pluralize(running, 'task')} still running. ${wait}${this.expectedEnd()}.`, 'info');
		}
		if (this.estimates.length) add(this.describeEstimates(), 'info');
		const warn = (messages: readonly string[], further: string, where = '') => {
			for (const message of messages.slice(0, LISTED)) add(escapeHtml(message), 'warning');
			const unlisted = messages.length - LISTED;
			if (unlisted > 0) add(`${pluralize(unlisted, further)}${where}`, 'warning');
		};
		warn(reasons, 'further reason', ' in the output');
		if (this.unmarked.length) add(escapeHtml(this.describeUnmarked()), 'warning');
		const warnings = [...this.warnings].map(([message, items]) => {
			const known = items.filter((index) => index !== undefined);
			if (known.length) return `${nameItems([...new Set(known)], itemCount)}${message}`;
			return items.length > 1 ? `${message} (${items.length} items)` : message;
		});
		warn(warnings, 'further warning');
		return hints;
	}
}
