import type { IDataObject } from 'n8n-workflow';
import { hideSignatures } from '../../gateway/redact';
import type { TaskPlan } from './taskPlan';

/** The result of Check Price Only. */
export function dryRunResult({ body, estimate, warnings, fallbacks }: TaskPlan): IDataObject {
	const isKnown = !('unknown' in estimate);
	return {
		dry_run: true,
		body: JSON.parse(hideSignatures(JSON.stringify(body))) as IDataObject,
		estimated_cost: isKnown ? estimate.quota : null,
		estimated_cost_usd: isKnown ? estimate.usd : null,
		...(!isKnown && { price: estimate.unknown }),
		...(fallbacks.length && {
			fallbacks: fallbacks.map((fallback) => ({
				model: fallback.spec.id,
				estimated_cost_usd: 'usd' in fallback.estimate ? fallback.estimate.usd : null,
				advice: fallback.warnings,
			})),
		}),
		advice: warnings,
	};
}
