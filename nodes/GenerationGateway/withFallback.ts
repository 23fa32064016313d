import type { IDataObject } from 'n8n-workflow';
import { GatewayError } from '../gateway/errors';
import { canFallBack } from '../gateway/fallback';
import type { RunSummary } from './account/runSummary';

/** The model that was chosen, and why another one was used instead. */
export interface Replaced {
	model: string;
	reason: string;
}

interface FallbackOptions<Candidate> {
	modelOf: (candidate: Candidate) => string;
	/** Given up before. */
	replaced?: Replaced;
	/** Whether a failed candidate certainly has no task. */
	mayReplace?: (candidate: Candidate, error: GatewayError) => boolean;
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
	{ modelOf, mayReplace = () => true, onReplace, ...given }: FallbackOptions<Candidate>,
	attempt: (candidate: Candidate, fallbacks: Candidate[], replaced?: Replaced) => Promise<Result>,
): Promise<Result> {
	let { replaced } = given;
	let isBillingUnknown = false;
	for (let at = 0; ; at += 1) {
		const [candidate, ...fallbacks] = candidates.slice(at) as [Candidate, ...Candidate[]];
		try {
			return await attempt(candidate, fallbacks, replaced);
		} catch (error) {
			const [next] = fallbacks;
			if (next === undefined || !canFallBack(error) || !mayReplace(candidate, error))
				throw nameReplaced(error, modelOf(candidate), replaced, isBillingUnknown);
			const reason = error.message.replace(/\.$/, '');
			const tried = `${modelOf(next)} was tried instead of ${modelOf(candidate)}`;
			summary.addWarning(`${reason}. ${tried}`);
			onReplace?.(next);
			isBillingUnknown ||= error.details.billed === undefined;
			replaced ??= { model: modelOf(candidate), reason: error.message };
		}
	}
}

/** The error of the last model says why it was asked at all: a run that ends with an error shows no warnings. */
function nameReplaced(
	error: unknown,
	model: string,
	replaced: Replaced | undefined,
	isBillingUnknown: boolean,
): unknown {
	if (!replaced || !(error instanceof GatewayError)) return error;
	const details = {
		...error.details,
		...fallbackFields(replaced),
		...(isBillingUnknown && { billed: undefined }),
	};
	const hint = `${error.hint} This is about ${model}, which was tried instead of ${replaced.model}: ${replaced.reason}`;
	// Equal rows may share the error of their task, so it is not changed.
	return new GatewayError(error.code, error.message, { hint, details, cause: error });
}

/** Fields of a simplified item: which model was chosen, and why another one was used. */
export const fallbackFields = (replaced: Replaced | undefined): IDataObject =>
	replaced ? { fallback_from: replaced.model, fallback_reason: replaced.reason } : {};
