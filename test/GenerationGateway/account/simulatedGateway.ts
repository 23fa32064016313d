import type { IDataObject } from 'n8n-workflow';
import { byteStreamOf } from '../../support/byteStreamOf';
import type { VirtualClock } from '../../support/virtualClock';

/** What happens to one request. `lost`: it is carried out, and the reply never comes. */
export type CallFault =
	'lost' | 'unsent' | 'refused' | 'refused for long' | 'overloaded' | 'failed';
/** What a reply to a submission says of the hold. */
export type HoldShape = 'right' | 'missing' | 'zero' | 'negative' | 'small at first';

/** How the gateway behaves for a while. */
export interface Behaviour {
	/** For the next calls, in order. */
	faults: readonly (CallFault | undefined)[];
	hold: HoldShape;
	/** What a task is settled at, as a multiple of its listed price. */
	settled: number;
	durationMs: number;
	/** Tasks of which every n-th fails; 0 for none. */
	failing: number;
	/** Its clock against ours, in milliseconds. */
	skewMs: number;
}

/** What was known to hold or to have cost when a call was sent. */
export interface Counted {
	execution: number;
	day: number;
}

export interface SimulatedTask {
	id: string;
	key: string;
	model: string;
	row: string;
	/** Of the execution whose submission made it. */
	executionId: string;
	made: number;
	endsAt: number;
	status: 'running' | 'completed' | 'failed' | 'cancelled';
	price: number;
	held: number;
	cost: number;
	hold: HoldShape;
	skewMs: number;
	/** A reply with its ID has arrived. */
	isKnown: boolean;
	/** A reply that it has ended has arrived. */
	isKnownEnd: boolean;
	/** The executions where it has arrived. */
	endKnownTo: Set<string>;
	/** What it holds or has cost, as the replies that have arrived say. */
	known?: number;
}

/** What models cost in quota. No price is listed of some. */
export const PRICES: Record<string, number> = {
	'imgn-4.0': 21_250,
	'flx-2-pro': 15_000,
	'flx-2-max': 30_000,
	'qwn-image-2.0': 10_625,
};
export const UNPRICED = 'flx-2-pro';
/** Models that nodes fall back to; the first has no listed price. */
export const FALLBACKS = ['flx-2-max', 'qwn-image-2.0'] as const;
export const listedPrice = (model: string): number | undefined =>
	model.startsWith('flx') ? undefined : PRICES[model];
const LATENCY_MS = 20;

interface GatewayRequest {
	method: string;
	url: string;
	headers: Record<string, string>;
	/** JSON. */
	body?: string;
}

/** A gateway on virtual time, with the faults that cost money. */
export class SimulatedGateway {
	readonly tasks = new Map<string, SimulatedTask>();
	private readonly byKey = new Map<string, SimulatedTask>();
	/** Submissions whose reply was lost: the node asks for what they may have made, whatever the limit. */
	readonly unclearKeys = new Set<string>();
	private faults: (CallFault | undefined)[] = [];
	behaviour!: Behaviour;
	/** Asked when a call is sent; what it gives is told when the call makes a task. */
	onSent: (executionId: string) => Counted = () => ({ execution: 0, day: 0 });
	onMade: (task: SimulatedTask, sent: Counted) => void = () => undefined;

	constructor(private readonly clock: VirtualClock) {}

	behave(behaviour: Behaviour): void {
		this.behaviour = behaviour;
		this.faults = [...behaviour.faults];
	}

	/**
	 * Calls to come are answered at once: no fault is left, and none has asked for a long wait. After a fault, an
	 * execution that is not alone does not know whose task it is.
	 */
	isAnswering(isAlone: boolean): boolean {
		const { faults } = this.behaviour;
		if (!isAlone) return !faults.length;
		const isLeft = this.faults.some((fault) => fault !== undefined);
		return !isLeft && !faults.includes('refused for long');
	}

	/** Tasks as they are now. */
	all(): SimulatedTask[] {
		for (const task of this.tasks.values()) this.settle(task);
		return [...this.tasks.values()];
	}

	async send(request: GatewayRequest, executionId: string, isAlive: () => boolean) {
		const fault = this.faults.shift();
		const sent = this.onSent(executionId);
		await this.clock.sleep(LATENCY_MS);
		const dead = async () => await new Promise<never>(() => undefined);
		if (!isAlive()) return await dead();
		const key = request.headers['Idempotency-Key'];
		if (key && (fault === 'unsent' || fault === 'lost' || fault === 'failed'))
			this.unclearKeys.add(key);
		if (fault === 'unsent') throw reset();
		if (fault === 'refused') return respond(429, {}, { 'retry-after': '1' });
		if (fault === 'refused for long') return respond(429, {}, { 'retry-after': '60' });
		if (fault === 'overloaded') return respond(503, {});
		const answered = await this.answer(request, executionId, sent);
		await this.clock.sleep(LATENCY_MS);
		if (!isAlive()) return await dead();
		if (fault === 'lost') throw reset();
		if (fault === 'failed') return respond(500, {});
		const { task } = answered;
		if (!task) return respond(404, {});
		const body = this.describe(task, answered.isNew);
		this.recordReply(task, body, executionId);
		const date = new Date(this.clock.now() + this.behaviour.skewMs).toUTCString();
		return respond(200, body, { date });
	}

	/** The node may read a reply a moment later, so that what costs more counts from then on. */
	private recordReply(
		task: SimulatedTask,
		{ pre_consumed_cost = 0 }: IDataObject,
		executionId: string,
	): void {
		const hold = Number(pre_consumed_cost) > 0 ? Number(pre_consumed_cost) : task.known;
		const isPaid = task.status === 'completed';
		const known = task.status === 'running' ? hold : isPaid ? task.cost : 0;
		task.isKnown = true;
		if (task.status !== 'running') {
			task.isKnownEnd = true;
			task.endKnownTo.add(executionId);
		}
		const listed = listedPrice(task.model) ?? 0;
		const isMore = known !== undefined && known > (task.known ?? listed);
		if (!isMore) task.known = known;
		else this.clock.after(1, () => void (task.known = Math.max(known, task.known ?? 0)));
	}

	private async answer(
		{ method, url, headers, body = '{}' }: GatewayRequest,
		executionId: string,
		sent: Counted,
	) {
		const [, id, verb] = /\/v1\/tasks(?:\/([^/]+))?(?:\/(\w+))?$/.exec(url) ?? [];
		if (method === 'POST' && !id) {
			const known = this.byKey.get(headers['Idempotency-Key']!);
			const task =
				known ??
				this.make(headers['Idempotency-Key']!, JSON.parse(body) as IDataObject, executionId, sent);
			const seconds = Number(/wait=(\d+)/.exec(headers.Prefer ?? '')?.[1] ?? 0);
			const end = this.clock.now() + seconds * 1000;
			if (seconds) await this.clock.sleep(Math.min(end, task.endsAt) - this.clock.now());
			this.settle(task);
			return { task, isNew: !known && !seconds };
		}
		const task = this.tasks.get(id!);
		if (task) this.settle(task);
		if (task?.status === 'running' && verb === 'cancel') task.status = 'cancelled';
		return { task, isNew: false };
	}

	private make(key: string, body: IDataObject, executionId: string, sent: Counted): SimulatedTask {
		const { hold, settled, durationMs, skewMs, failing } = this.behaviour;
		const model = String(body.model);
		const count = this.tasks.size + 1;
		const price = PRICES[model]!;
		const made = this.clock.now();
		const fails = failing > 0 && count % failing === 0;
		const task: SimulatedTask = {
			id: `task_${count}`,
			key,
			model,
			executionId,
			made,
			hold,
			skewMs,
			price,
			row: /row [\w.]+/.exec(String(body.prompt))?.[0] ?? '',
			endsAt: made + durationMs,
			status: 'running',
			held: Math.round(price * (hold === 'small at first' ? settled : 1)),
			cost: fails ? 0 : Math.round(price * settled),
			isKnown: false,
			isKnownEnd: false,
			endKnownTo: new Set(),
		};
		this.onMade(task, sent);
		this.tasks.set(task.id, task);
		this.byKey.set(key, task);
		return task;
	}

	private settle(task: SimulatedTask): void {
		if (task.status !== 'running' || this.clock.now() < task.endsAt) return;
		task.status = task.cost ? 'completed' : 'failed';
	}

	/** As the reply says it. */
	private describe(task: SimulatedTask, isNew: boolean): IDataObject {
		const { id: task_id, model, status, cost, made, skewMs, held, hold } = task;
		const created_at = Math.floor((made + skewMs) / 1000);
		const shapes = { right: held, missing: undefined, zero: 0, negative: -1 };
		const pre_consumed_cost = hold === 'small at first' ? (isNew ? 1 : held) : shapes[hold];
		const common = { task_id, model, created_at, pre_consumed_cost };
		if (status === 'running') return { ...common, status: 'queued', progress: 0 };
		if (status !== 'completed') return { ...common, status, cost: 0 };
		const result = { images: [{ url: ['https://files.example.com/a.png'] }] };
		return { ...common, status, cost, progress: '100%', result };
	}
}

const reset = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const respond = (statusCode: number, body: IDataObject, headers: Record<string, string> = {}) => ({
	statusCode,
	body: byteStreamOf(body),
	headers,
});
