/** What an item says about its row's task. */
export interface RowResult {
	/**
	 * `open`: something went wrong on the way; `running`: the task had not ended. With a task ID it
	 * can be awaited, without one sent again.
	 */
	kind: 'completed' | 'failed' | 'running' | 'open';
	taskId?: string;
	cost?: number;
	/** Has all links, and all files if files were requested. */
	hasAllFiles: boolean;
	/** The message of an item without a result. */
	message?: string;
}

export interface GivenItem {
	json: Record<string, unknown>;
	binary?: object;
}

interface NodeOutput {
	error?: unknown;
	details?: { task_id?: string; status?: string; billed?: number };
	task_id?: string;
	status?: string;
	urls?: unknown;
	cost?: number | null;
	result?: Record<string, { url: string[] }[]>;
}

const optional = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

/** Reads an item of the node: a simplified task, the gateway's own object, or a failed item. */
export function readRowResult({ json, binary }: GivenItem, wantsFiles = false): RowResult {
	const { error, details = {}, ...task } = json as NodeOutput;
	if (error !== undefined) {
		// A task that was cancelled when its run was stopped leaves the row as if it had not been sent.
		if (details.status === 'cancelled')
			return { kind: 'open', hasAllFiles: false, message: String(error) };
		const isFailed = details.status === 'failed';
		return {
			kind: isFailed ? 'failed' : 'open',
			taskId: details.task_id,
			cost: details.billed,
			hasAllFiles: true,
			message: String(error),
		};
	}
	const links = Array.isArray(task.urls)
		? task.urls
		: Object.values(task.result ?? {})
				.flat()
				.flatMap(({ url }) => url);
	const files = Object.keys(binary ?? {}).length;
	const known = {
		taskId: task.task_id,
		cost: optional(task.cost),
		hasAllFiles: links.length > 0 && (!wantsFiles || files === links.length),
	};
	if (task.status === 'completed') return { kind: 'completed', ...known };
	if (task.status === 'failed') return { kind: 'failed', ...known, hasAllFiles: true };
	return { kind: 'running', ...known, message: `still ${task.status ?? 'without a state'}` };
}

export const isFinal = (result: RowResult | undefined): result is RowResult =>
	result?.kind === 'completed' || result?.kind === 'failed';

const getRank = ({ kind, taskId }: RowResult): number =>
	kind === 'completed' ? 3 : kind === 'failed' ? 2 : taskId ? 1 : 0;

/** A retry can turn a failed row into a completed one, never the other way. */
export const isBetter = (now: RowResult, before: RowResult | undefined): boolean =>
	!before || getRank(now) >= getRank(before);
