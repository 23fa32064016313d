import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../catalog/json';
import type { CostEstimate } from '../../catalog/pricing';
import type { ModelSpec } from '../../catalog/modelSpec';
import type { JsonObject } from '../../gateway/json';
import type { GatewayError } from '../../gateway/errors';
import { hideSignatures } from '../../gateway/redact';
import type { PollOptions } from '../../gateway/tasks/awaitTask';
import type { RetiredKeys } from '../../gateway/tasks/idempotencyKeys';
import type { Task } from '../../gateway/tasks/schema';
import type { OutputOptions } from '../../n8n/items/task';
import type { Reservation } from '../account/charge';
import type { Replaced } from '../withFallback';

/** The key under which a task is submitted. */
export interface TaskKey {
	key: string;
	/** By the user. */
	given?: string;
	/** Other executions may use it: it is the user's own, or equal requests are reused. */
	spansExecutions: boolean;
}

/** A task that may be sent: checked, priced, and within the budget. */
export interface TaskPlan {
	/** Of the item. */
	index: number;
	spec: ModelSpec;
	/** The whole body, `model` included. */
	body: JsonObject;
	key: TaskKey;
	/** Of its account. */
	retiredKeys: RetiredKeys;
	estimate: CostEstimate;
	reservation: Reservation;
	/** The gateway accepts it, with an effect that the user should know. */
	warnings: string[];
	waits: boolean;
	/** It polls because the execution cannot be suspended. */
	pollsInstead: boolean;
	/** Longest suspension in hours. Undefined: none. */
	suspendHours?: number;
	isDryRun: boolean;
	cancelsOnStop: boolean;
	pollOptions: PollOptions;
	outputOptions: OutputOptions;
	/** The same task for other models, in the order in which they are tried. */
	fallbacks: TaskPlan[];
	/** Why its model cannot be used at all. The next one is. */
	refusal?: GatewayError;
	/** The model that an earlier try gave up. */
	replaced?: Replaced;
}

/** Some replies leave out model and action. */
export function nameTask({ spec, body }: TaskPlan, task: Task): Task {
	const { model = spec.id, action = toText(body.action ?? spec.actions[0]) } = task;
	const seconds = typeof body.duration === 'number' ? body.duration : undefined;
	return { ...task, model, action, seconds };
}

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
