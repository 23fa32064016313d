import type { ModelRule } from './rules';
import type { Body, Outcome } from './settings';

/** One task. It has no timer: its state is computed from the clock. */
export interface Task {
	id: string;
	account: string;
	key?: string;
	body: Body;
	rule: ModelRule;
	model: string;
	action: string;
	held: number;
	submittedAt: number;
	/** Milliseconds it takes unless it is ended earlier. */
	durationMs: number;
	endsAt: number;
	outcome: Outcome;
	reason?: string;
	polls: number;
	callbacks: number;
	deliveries: Delivery[];
	waiters: Set<() => void>;
}

/** One attempt to call back. */
export interface Delivery {
	at: number;
	url: string;
	/** HTTP status of the receiver; absent when it could not be reached. */
	status?: number;
	/** What the receiver said when it did not take the callback. */
	refusal?: unknown;
}

export interface TaskRecord {
	task_id: string;
	account: string;
	/** The idempotency key. */
	key?: string;
	body: Body;
	model: string;
	action: string;
	status: string;
	/** Quota held at submission. */
	held: number;
	/** Quota charged; 0 until settled, and for failed and cancelled tasks. */
	cost: number;
	submitted: number;
	finished?: number;
	/** How often its status was read. */
	polls: number;
	/** Callback requests sent, repeats included. */
	callbacks: number;
	deliveries: Delivery[];
}
