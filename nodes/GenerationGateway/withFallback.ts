import { withDetails } from '../gateway/errors';
import { canFallBack } from '../gateway/fallback';
import type { OutputItem } from '../n8n/items/task';
import type { RunSummary } from './account/runSummary';

/** The model that was chosen, and why another one was used instead. */
export interface Replaced {
	model: string;
	reason: string;
}

interface FallbackOptions<Candidate> {
	index: number;
	modelOf: (candidate: Candidate) => string;
	/** Given up before. */
	replaced?: Replaced;
	/** Whether a failed candidate certainly has no task. */
	mayReplace?: (candidate: Candidate) => boolean;
	/** Throws why the next one must not be used. */
	onReplace?: (next: Candidate) => void;
}

/**
 * Tries the candidates in order, as long as nothing was made and nothing is billed. An error names the model
 * that was chosen.
 */
export async function withFallback<Candidate, Result>(
	candidates: readonly Candidate[],
	summary: RunSummary,
	{ index, modelOf, mayReplace = () => true, onReplace, ...given }: FallbackOptions<Candidate>,
	attempt: (candidate: Candidate, replaced?: Replaced, next?: Candidate) => Promise<Result>,
): Promise<Result> {
	let { replaced } = given;
	for (let at = 0; ; at += 1) {
		const [candidate, next] = candidates.slice(at) as [Candidate, Candidate?];
		try {
			return await attempt(candidate, replaced, next);
		} catch (error) {
			if (next === undefined || !canFallBack(error) || !mayReplace(candidate))
				throw replaced ? withDetails(error, { fallback_from: replaced.model }) : error;
			const reason = error.message.replace(/\.$/, '');
			const used = `${modelOf(next)} was used instead of ${modelOf(candidate)}`;
			summary.addWarning(`Item ${index}: ${reason}. ${used}`);
			onReplace?.(next);
			replaced ??= { model: modelOf(candidate), reason: error.message };
		}
	}
}

/** Says in a simplified item which model was chosen, and why another one was used. */
export const markFallback = (item: OutputItem, replaced: Replaced | undefined): OutputItem =>
	replaced
		? {
				...item,
				json: {
					...item.json,
					fallback_from: replaced.model,
					fallback_reason: replaced.reason,
				},
			}
		: item;
