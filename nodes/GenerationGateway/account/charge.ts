import type { DailyShare } from '../../n8n/dailySpend';

/** The user's limits in USD. Undefined: none. */
export interface CostLimits {
	perItem?: number;
	perExecution?: number;
	/** By UTC, for the account in this process. */
	perDay?: number;
	/** What has no stated price is sent all the same. */
	sendsUnpriced: boolean;
	/** What is limited. */
	noun: 'task' | 'request';
}

/** What the task of one key counts for. Rows with the same key share it. */
export interface Charge {
	/** A hash of the row's key. */
	id: string;
	/** A hash of the key that is sent. Each fallback model has its own key. */
	sentId: string;
	/** When that was first sent, in Unix seconds. */
	sentAt?: number;
	/** The estimate, then the hold, then what was settled. */
	quota: number;
	/** Without a stated price: the gateway has told the hold or the cost. */
	isKnown: boolean;
	/** `none`: not made, or ended without a result. `unclear`: a lost reply may have made it. */
	task: 'none' | 'unclear' | 'made';
	/** Who has made its task: this execution, the one that it retries, or another one, which pays it. */
	maker: 'own' | 'retried' | 'other';
	/** Rows that may still send it. */
	holders: number;
	taskId?: string;
	admission?: Promise<void>;
	/** Lets the next task without a price go on. */
	releaseLock?: () => void;
	/** A hash of the credential. Undefined where it cannot be read. */
	account?: string;
	/** What it counts for today. Undefined where another execution counts its task. */
	share?: DailyShare;
}

/** A task was made, or may have been. */
export const mayExist = ({ task }: Charge): boolean => task === 'made' || task === 'unclear';

/** The share of a row in the budget. */
export interface Reservation {
	charge: Charge;
	limits: CostLimits;
}
