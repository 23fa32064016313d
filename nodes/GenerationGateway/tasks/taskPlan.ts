import type { CostEstimate } from '../../catalog/pricing';
import type { ModelSpec } from '../../catalog/modelSpec';
import type { JsonObject } from '../../gateway/context';
import type { GatewayError } from '../../gateway/errors';
import type { PollOptions } from '../../gateway/tasks/awaitTask';
import type { OutputOptions } from '../../n8n/items/task';
import type { Reservation } from '../account/charge';
import type { Replaced } from '../withFallback';

/** The key under which a task is submitted. */
export interface TaskKey {
	key: string;
	/** As the user has set it. */
	given?: string;
	/** Other executions may use it, too: it is the user's own, or equal requests are reused. */
	spansExecutions: boolean;
	/** Where equal requests are counted: what they are recognised by. */
	equals?: string;
}

/** A task that may be sent: checked, priced, within the budget. */
export interface TaskPlan {
	/** Of the item. */
	index: number;
	spec: ModelSpec;
	/** The whole body, `model` included. */
	body: JsonObject;
	key: TaskKey;
	estimate: CostEstimate;
	reservation: Reservation;
	/** What the gateway accepts, with an effect that the user should know. */
	warnings: string[];
	waits: boolean;
	/** Hours to be suspended at most; undefined where the execution is not. */
	suspendHours?: number;
	isDryRun: boolean;
	/** Unfinished tasks are cancelled when the user stops the run. */
	cancelsOnStop: boolean;
	pollOptions: PollOptions;
	outputOptions: OutputOptions;
	/** The same task for other models, asked in this order when this one cannot do it. */
	fallbacks: TaskPlan[];
	/** Why its model cannot be asked at all; another one is, then. */
	refusal?: GatewayError;
	/** The model that an earlier try has given up for this one. */
	replaced?: Replaced;
	/** A task that has not ended in time is cancelled, since another model is asked then. */
	isCancelledWhenLate?: boolean;
}
