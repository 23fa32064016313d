import type { DailyShare } from './dailySpend';

/** The user's limits, in USD; undefined where none is set. */
export interface CostLimits {
	perItem?: number;
	perExecution?: number;
	/** UTC, for the account in this process. */
	perDay?: number;
	/** Tasks without a stated price are sent all the same. */
	sendsUnpriced: boolean;
}

/** What the task of one key counts for. Rows that share a task by its key share its charge. */
export interface Charge {
	/** Of the key. */
	id: string;
	/** The estimate, then the hold, then what was settled. */
	quota: number;
	/** Where the price is not stated it is known once the gateway holds or settles something. */
	isKnown: boolean;
	/** A task was made, or may have been. */
	mayExist: boolean;
	/** A reply of this execution was lost that may have made it. */
	isUnclear?: boolean;
	/** It is of the execution that this one retries, which may have gone on to a successor of the key. */
	isCarried?: boolean;
	/** Its task has ended without a result, and the next one of the key is asked for. */
	isReplaced?: boolean;
	/** Which of the row's models is asked: 0 for the first, then its fallbacks. */
	candidate: number;
	/** Rows that have reserved it and may still send it. */
	holders: number;
	taskId?: string;
	admission?: Promise<void>;
	/** Lets the next task without a price go on, under each limit. */
	releaseLock?: () => void;
	/** Of the credential, as a hash; undefined where none can be read. */
	account?: string;
	/** What it counts for today, unless another execution counts its task. */
	share?: DailyShare;
}

/** The share of a row in the budget. */
export interface Reservation {
	charge: Charge;
	limits: CostLimits;
}
