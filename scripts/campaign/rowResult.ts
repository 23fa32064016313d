/** What an item says about the task of its row. */
export interface Ending {
	/** `open`: something went wrong on the way; `running`: the task had not ended. With a task ID it can be awaited, without one sent again. */
	kind: 'completed' | 'failed' | 'running' | 'open';
	taskId?: string;
	cost?: number;
	/** All links are there, and all files where files were asked for. */
	isWhole: boolean;
	/** What the item said instead of a result. */
	message?: string;
}

export interface GivenItem {
	json: Record<string, unknown>;
	binary?: object;
}

interface Said {
	error?: unknown;
	details?: { task_id?: string; status?: string; billed?: number };
	task_id?: string;
	status?: string;
	urls?: unknown;
	cost?: number | null;
	result?: Record<string, { url: string[] }[]>;
}

const optional = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

/** Reads an item of the node: a flat task, the gateway's own object, or what went on in place of a failed item. */
export function endingOf({ json, binary }: GivenItem, wantsFiles = false): Ending {
	const { error, details = {}, ...task } = json as Said;
	if (error !== undefined) {
		const isFailed = details.status === 'failed' || details.status === 'cancelled';
		return {
			kind: isFailed ? 'failed' : 'open',
			taskId: details.task_id,
			cost: details.billed,
			isWhole: true,
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
		isWhole: links.length > 0 && (!wantsFiles || files === links.length),
	};
	if (task.status === 'completed') return { kind: 'completed', ...known };
	if (task.status === 'failed') return { kind: 'failed', ...known, isWhole: true };
	return { kind: 'running', ...known, message: `still ${task.status ?? 'without a state'}` };
}

export const isHome = (ending: Ending | undefined): ending is Ending =>
	ending?.kind === 'completed' || ending?.kind === 'failed';

const rank = ({ kind, taskId }: Ending): number =>
	kind === 'completed' ? 3 : kind === 'failed' ? 2 : taskId ? 1 : 0;

/** A retry may complete what had failed; it never takes back what had completed. */
export const isBetter = (now: Ending, before: Ending | undefined): boolean =>
	!before || rank(now) >= rank(before);
