/** How deep and how wide a payload is searched; what is not shown may be anything. */
const DEEPEST = 6;
const MOST_VALUES = 500;
const MOST_IDS = 5;

const looksLikeId = (value: unknown): value is string =>
	typeof value === 'string' && /^task[\w.-]{1,200}$/.test(value);

/**
 * The task IDs a callback may be about, likeliest first: what stands under `task_id`, then any text that
 * looks like an ID (it "begins with task", spec section 2.1). The payload's shape is not shown (section 6).
 */
export function findTaskIds(payload: unknown): string[] {
	const named: string[] = [];
	const others: string[] = [];
	let seen = 0;
	const visit = (value: unknown, name: string, depth: number): void => {
		if (depth > DEEPEST || (seen += 1) > MOST_VALUES) return;
		if (looksLikeId(value)) (name === 'task_id' || name === 'taskId' ? named : others).push(value);
		else if (typeof value === 'object' && value !== null)
			for (const [key, entry] of Object.entries(value)) visit(entry, key, depth + 1);
	};
	visit(payload, '', 0);
	return [...new Set([...named, ...others])].slice(0, MOST_IDS);
}
