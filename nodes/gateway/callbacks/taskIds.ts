import { parseJson } from '../json';

/** How deep and how far a payload is searched: its format is not shown. This far takes about 10 ms. */
const DEEPEST = 6;
const MOST_VALUES = 5_000;
const MOST_IDS = 5;

const USUAL_ID = /^task[\w.-]{1,200}$/;
/** What Task > Get takes. Only under the name of an ID: any other text may be a sentence or a link. */
const POSSIBLE_ID = /^task[^\s/?#]{1,200}$/;

/** `task_id` comes before `id`, and `id` before any other text. */
const rankOf = (name: string): number =>
	/^(task_?id)$/i.test(name) ? 0 : /^(id|tasks?|task_?ids)$/i.test(name) ? 1 : 2;

/** A task ID in a callback, and whether nothing else in it is more likely to be one. */
export interface NamedTask {
	id: string;
	isLikeliest: boolean;
	/** By what it stands under. Any other text may be a word, e.g. `task.completed`. */
	isCertain: boolean;
}

/**
 * The task IDs in a callback, most likely first: `task_id`, then any text that begins with "task" (spec
 * section 2.1). The payload is not shown (section 6), so JSON inside a text is read too. `ref_…` names
 * another task.
 */
export function findNamedTasks(payload: unknown): NamedTask[] {
	const found: { id: string; rank: number }[] = [];
	/** Searched level by level, so that a long result does not hide an ID behind it. */
	const queue: [value: unknown, name: string, depth: number][] = [];
	const add = (value: unknown, name: string, depth: number): void => {
		if (depth > DEEPEST || queue.length >= MOST_VALUES || /^ref_/i.test(name)) return;
		queue.push([value, name, depth]);
	};
	const addText = (text: string, name: string, depth: number): void => {
		const value = /^\s*[[{]/.test(text) && parseJson(text);
		if (typeof value === 'object' && value !== null) add(value, name, depth + 1);
	};
	add(payload, '', 0);
	for (const [value, name, depth] of queue) {
		if (typeof value === 'string') {
			const isUsual = USUAL_ID.test(value);
			// Beside a usual ID, an unusual one may be a word, e.g. `task:generate`.
			const rank = rankOf(name) + (isUsual ? 0 : 0.5);
			if (isUsual || (rank < 2 && POSSIBLE_ID.test(value))) found.push({ id: value, rank });
			else addText(value, name, depth);
		}
		if (typeof value !== 'object' || value === null) continue;
		const isList = Array.isArray(value);
		for (const [key, child] of Object.entries(isList ? value.slice(0, MOST_VALUES) : value)) {
			// A form without a content type arrives as one field whose name is the whole text.
			if (!isList) addText(key, name, depth);
			add(child, isList ? name : key, depth + 1);
		}
	}
	found.sort((a, b) => a.rank - b.rank);
	const [first] = found;
	const ranks = new Map<string, number>();
	for (const { id, rank } of found) if (!ranks.has(id)) ranks.set(id, rank);
	return [...ranks].map(([id, rank]) => ({
		id,
		isLikeliest: rank === first?.rank,
		isCertain: rank < 2,
	}));
}

/** The five most likely task IDs. */
export const findTaskIds = (payload: unknown): string[] =>
	findNamedTasks(payload)
		.slice(0, MOST_IDS)
		.map(({ id }) => id);
