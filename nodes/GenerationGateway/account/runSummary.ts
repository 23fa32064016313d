import type { NodeExecutionHint } from 'n8n-workflow';
import { count, escapeHtml, joinWords } from '../../catalog/labels';
import { findModelSpec } from '../../catalog/modelSpec';
import { quotaToUsd } from '../../catalog/quota';
import { hasEnded, type Task } from '../../gateway/tasks/schema';
import type { Failure } from '../../n8n/items/failure';
import type { ExecutionRecord } from './executionRecord';
import { describeTrace, type TraceAttributes, type TracedAnswer } from './trace';

const LISTED_WARNINGS = 5;

/** `2 images and 1 video`, or the number of tasks where none has a result. */
function describeResults(tasks: readonly Task[]): string {
	const counts = new Map<string, number>();
	for (const { model = '', urls } of tasks) {
		const noun = findModelSpec(model)?.media ?? 'result';
		if (urls.length) counts.set(noun, (counts.get(noun) ?? 0) + urls.length);
	}
	if (!counts.size) return `${count(tasks.length, 'task')} ended`;
	return joinWords(
		[...counts].map(([noun, number]) => count(number, noun)),
		'and',
	);
}

/** In USD, as far as the gateway has said. */
const costOf = (tasks: readonly Task[]): number =>
	quotaToUsd(tasks.reduce((sum, { cost = 0 }) => sum + cost, 0));

/** What the user should know about a run: its cost, the tasks that still run, and its warnings. */
export class RunSummary {
	/** By ID: two items may share a task, and it is paid once. */
	private readonly tasks = new Map<string, Task>();
	private readonly submitted: Task[] = [];
	private readonly reusedIds = new Set<string>();
	private readonly warnings = new Map<string, number>();
	private readonly failures: string[] = [];
	private readonly unmarked: string[] = [];
	private readonly answers: TracedAnswer[] = [];
	private readonly estimates: (number | undefined)[] = [];
	private longestExpectedMs = 0;

	/** Notes the last known state of a task. */
	addTask(task: Task): void {
		this.tasks.set(task.taskId, task);
	}

	/** The task was made before this run, so nothing is billed for it now. */
	addReused(taskId: string): void {
		this.reusedIds.add(taskId);
	}

	/** A remark on an item that is worth saying once for the run. */
	addWarning(message: string): void {
		this.warnings.set(message, (this.warnings.get(message) ?? 0) + 1);
	}

	/** The price of an item that is only checked; undefined where none is stated. */
	addEstimate(usd: number | undefined): void {
		this.estimates.push(usd);
	}

	/** An item that goes on without its result; in a table of the output its reason is far to the right. */
	addFailure({ error, index }: Failure): void {
		const reason = error instanceof Error ? error.message : String(error);
		this.failures.push(`Item ${index}: ${reason}`);
	}

	/** A file that is not marked as made by AI. The first one is described, however many there are. */
	addUnmarked(message: string): void {
		this.unmarked.push(message);
	}

	/** Notes a task that this run of the node has made, and how many milliseconds such a task takes, where that is known. */
	addSubmitted(task: Task, expectedMs = 0): void {
		this.submitted.push(task);
		this.longestExpectedMs = Math.max(this.longestExpectedMs, expectedMs);
	}

	/** An answer of a text model, with its usage where the gateway states it. */
	addAnswer(answer: TracedAnswer): void {
		this.answers.push(answer);
	}

	/** For the span of the node, where n8n traces its executions (OpenTelemetry). */
	tracing(record: ExecutionRecord): TraceAttributes | undefined {
		const made = this.submitted.filter(({ taskId }) => !this.reusedIds.has(taskId));
		return describeTrace(made, this.answers, record);
	}

	/** When the task that takes longest has probably ended, as far as this is known. */
	private expectedEnd(): string {
		const seconds = Math.ceil(this.longestExpectedMs / 1000);
		return seconds ? `; such tasks take about ${seconds} s` : '';
	}

	private describeEstimates(): string {
		const known = this.estimates.filter((usd) => usd !== undefined);
		const usd = Number(known.reduce((sum, one) => sum + one, 0).toFixed(6));
		const unstated = this.estimates.length - known.length;
		const rest = unstated ? `; ${count(unstated, 'item')} without a stated price` : '';
		return `${count(known.length, 'item')}: $${usd}${rest}. Nothing was sent`;
	}

	private describeUnmarked(): string {
		const [first, ...others] = this.unmarked;
		return `${first}${others.length ? `. Further files that are not marked: ${others.length}` : ''}`;
	}

	/** For the output panel. */
	hints(): NodeExecutionHint[] {
		const tasks = [...this.tasks.values()];
		const ended = tasks.filter((task) => hasEnded(task) && !this.reusedIds.has(task.taskId));
		const reused = tasks.filter((task) => hasEnded(task) && this.reusedIds.has(task.taskId));
		const running = tasks.filter((task) => !hasEnded(task)).length;
		const messages: [string | false, NodeExecutionHint['type']][] = [
			[ended.length > 0 && `${describeResults(ended)}, $${costOf(ended)}`, undefined],
			[
				reused.length > 0 &&
					`${count(reused.length, 'result')} reused from an earlier execution: $${costOf(reused)} saved`,
				'info',
			],
			[
				running > 0 &&
					`${count(running, 'task')} still running. Wait for ${running > 1 ? 'them' : 'it'} with Task > Await${this.expectedEnd()}.`,
				'info',
			],
			[this.estimates.length > 0 && this.describeEstimates(), 'info'],
			...this.failures
				.slice(0, LISTED_WARNINGS)
				.map((reason): [string, 'warning'] => [escapeHtml(reason), 'warning']),
			[
				this.failures.length > LISTED_WARNINGS &&
					`${count(this.failures.length - LISTED_WARNINGS, 'further item')} failed, too`,
				'warning',
			],
			[this.unmarked.length > 0 && escapeHtml(this.describeUnmarked()), 'warning'],
			...[...this.warnings]
				.slice(0, LISTED_WARNINGS)
				.map(([message, times]): [string, 'warning'] => [
					escapeHtml(times > 1 ? `${message} (${times} items)` : message),
					'warning',
				]),
		];
		return messages.flatMap(([message, type]) =>
			message ? [{ message, location: 'outputPane' as const, ...(type && { type }) }] : [],
		);
	}
}
