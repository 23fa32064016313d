import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { KEY_MS } from '../../gateway/tasks/idempotencyKeys';
import { mayExist, type Charge, type Reservation } from './charge';
import { DailySpend } from '../../n8n/dailySpend';
import { Spend } from '../../n8n/spend';
import { wallTime } from '../../n8n/systemClock';

/**
 * Kept by n8n with the execution, also over a suspension and a Retry: what the task of each key counts for.
 * `isOfOther`: another execution has paid it.
 */
type Stored = Record<
	string,
	[quota: number, sentId: string, sentAt: number, taskId?: string, isOfOther?: boolean]
>;
const nowSeconds = () => Math.floor(wallTime() / 1000);
const CHARGES = 'generationGatewayBudget';
const idOf = (key: string) => createHash('sha256').update(key).digest('base64').slice(0, 12);

/** What each key of a node counts for: in this execution, and for its account today. */
export class Charges {
	private readonly byId = new Map<string, Charge>();
	private readonly execution = new Spend(
		'Cost Limit per Execution',
		'by this node in this execution',
	);
	private readonly stored: Stored;

	/** `context` is what n8n keeps for the node with the execution. */
	constructor(context: IDataObject) {
		this.stored = (context[CHARGES] ??= {}) as never as Stored;
		for (const [id, entry] of Object.entries(this.stored)) {
			const [kept, sentId, sentAt, taskId, isOfOther = false] = entry;
			// It may have ended while the execution was suspended.
			const quota = isOfOther ? kept : (DailySpend.chargeOf(taskId) ?? kept);
			this.execution.total += quota;
			const known = { isKnown: quota > 0 || isOfOther, task: 'made', holders: 0 } as const;
			const maker = isOfOther ? 'other' : 'retried';
			this.byId.set(id, { id, sentId, sentAt, quota, taskId, maker, ...known });
		}
	}

	/**
	 * The charge of a row, or a new one that is not added yet. `keys`: those of its models, the chosen one first.
	 * If they can no longer find the task of the retried execution, it still counts, and the row gets a second charge.
	 */
	find(keys: readonly string[], name = keys[0]!): Charge {
		const id = idOf(name);
		const known = this.byId.get(id);
		if (known?.maker === 'retried' && !this.isFound(known, keys))
			return this.find(keys, `${name} ${known.taskId}`);
		const unmade = { quota: 0, isKnown: false, task: 'none', maker: 'own' } as const;
		return known ?? { id, sentId: idOf(keys[0]!), holders: 0, ...unmade };
	}

	/** Whether the gateway gives the task for one of the keys. */
	private isFound(charge: Charge, keys: readonly string[]): boolean {
		const isOver = nowSeconds() - (charge.sentAt ?? 0) > KEY_MS / 1000;
		return !isOver && keys.some((key) => this.isSent(charge, key));
	}

	/** The row has another task than in the retried execution. Both count. */
	split(charge: Charge): void {
		this.stored[`${charge.id} ${charge.taskId}`] = this.stored[charge.id]!;
		Object.assign(charge, { quota: 0, taskId: undefined, sentAt: undefined });
		this.save(charge);
	}

	/** The charge with the same key. */
	current({ id }: Charge): Charge | undefined {
		return this.byId.get(id);
	}

	add(charge: Charge): void {
		this.byId.set(charge.id, charge);
	}

	/** The task is about to be sent, with this key. */
	use(charge: Charge, key: string): void {
		const sentId = idOf(key);
		if (sentId === charge.sentId) return;
		this.dropShare(charge);
		charge.sentId = sentId;
		delete charge.sentAt;
	}

	isSent({ sentId }: Charge, key: string): boolean {
		return sentId === idOf(key);
	}

	/** From now on n8n keeps the charge. */
	store(charge: Charge): void {
		this.claimShare(charge);
		this.save(charge);
	}

	isStored({ id }: Charge): boolean {
		return id in this.stored;
	}

	set(charge: Charge, quota: number): void {
		this.claimShare(charge);
		charge.share?.set(quota);
		this.count(charge, quota);
	}

	/** The charge counts for nothing. */
	clear(charge: Charge): void {
		this.dropShare(charge);
		this.count(charge, 0);
	}

	/** Another execution has paid the task. */
	leave(charge: Charge, taskId: string): void {
		this.clear(charge);
		Object.assign(charge, { taskId, maker: 'other' });
		if (this.isStored(charge)) this.save(charge);
	}

	remove(charge: Charge): void {
		this.clear(charge);
		this.byId.delete(charge.id);
		delete this.stored[charge.id];
	}

	/** The share of the day follows the task from now on. */
	attach(charge: Charge, taskId: string): void {
		charge.taskId = taskId;
		if (charge.maker === 'other') charge.maker = 'own';
		if (this.isStored(charge)) this.save(charge);
		this.claimShare(charge);
		if (charge.share) charge.share.attach(taskId);
		else DailySpend.keep(taskId);
	}

	/** What the task costs is not known yet, though others go on. */
	leaveUnsettled(charge: Charge): void {
		this.execution.unsettled = charge;
		if (charge.share) charge.share.day.unsettled = charge.share;
	}

	/** The limits that tasks share, and what this task counts for already. What was sent yesterday is not held to the limit of today. */
	*sharedLimits({ charge, limits: { perExecution, perDay } }: Reservation) {
		const { quota, sentId, account, share } = charge;
		if (perExecution !== undefined)
			yield { spend: this.execution, limit: perExecution, counted: quota };
		if (perDay === undefined || account === undefined) return;
		const today = DailySpend.today(account);
		if (share?.day === today) yield { spend: today, limit: perDay, counted: share.quota };
		else if (!mayExist(charge) && !today.isCounted(sentId))
			yield { spend: today, limit: perDay, counted: 0 };
	}

	/** A task counts on the day when it is sent. */
	private claimShare(charge: Charge): void {
		// Its task has ended without a result, and the key has a next one.
		if (charge.share && !charge.share.isCurrent) this.dropShare(charge);
		const { share, account, taskId, sentId, maker } = charge;
		const isSent = share
			? mayExist(charge) || taskId !== undefined
			: maker === 'retried' && mayExist(charge);
		if (account === undefined || isSent) return;
		const today = DailySpend.today(account);
		if (share?.day === today) return;
		this.dropShare(charge);
		charge.share = today.claim(sentId);
		charge.share?.set(charge.quota);
	}

	private dropShare(charge: Charge): void {
		charge.share?.drop();
		delete charge.share;
	}

	private save(charge: Charge): void {
		const { id, quota, sentId, taskId, maker } = charge;
		charge.sentAt ??= nowSeconds();
		this.stored[id] = [quota, sentId, charge.sentAt];
		if (taskId !== undefined) this.stored[id].push(taskId);
		if (maker === 'other') this.stored[id].push(true);
	}

	/** In this execution. */
	private count(charge: Charge, quota: number): void {
		this.execution.total += quota - charge.quota;
		charge.quota = quota;
		const stored = this.stored[charge.id];
		if (stored) stored[0] = quota;
	}
}
