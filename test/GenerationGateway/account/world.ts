import { quotaToUsd } from '../../../nodes/catalog/pricing';
import { DailySpend } from '../../../nodes/n8n/dailySpend';
import { systemClock } from '../../../nodes/n8n/systemClock';
import { createRandom } from '../../support/rateLimits';
import { restartProcess } from '../../support/restartProcess';
import { VirtualClock } from '../../support/virtualClock';
import {
	listedPrice,
	PRICES,
	SimulatedGateway,
	type Counted,
	type SimulatedTask,
} from './simulatedGateway';
import { SimulatedN8n, type Execution } from './simulatedN8n';

/** A stopped run has cancelled its tasks after so many milliseconds. */
const LONGEST_CANCEL_MS = 5_000;

/** What a sequence has led to, and what must be true of it. */
export class World {
	readonly clock = new VirtualClock();
	readonly gateway = new SimulatedGateway(this.clock);
	readonly n8n = new SimulatedN8n(this.clock, this.gateway, (model) => quotaToUsd(PRICES[model]!));
	readonly violations: string[] = [];
	wasRestarted = false;
	/** By another workflow. What it has seen, the executions do not know. */
	wasRead = false;
	private readonly processes = new Map<string, number>();

	constructor() {
		Object.assign(systemClock, {
			now: () => this.clock.now(),
			after: (ms: number, callback: () => void) => this.clock.after(ms, callback),
		});
		restartProcess();
		// Delays are partly random; a sequence that fails must fail again.
		jest.spyOn(Math, 'random').mockImplementation(createRandom(7));
		this.gateway.onSent = (id) => ({
			execution: this.countKnown(this.tasksOf(id)),
			day: this.countKnown(this.today()),
		});
		this.gateway.onMade = (task, counted) => {
			this.processes.set(task.id, this.n8n.process);
			this.checkLimits(task, counted);
		};
	}

	get last(): Execution {
		return this.n8n.executions.at(-1)!;
	}

	/** Of an execution and of those that it retries. */
	private tasksOf(id: string): SimulatedTask[] {
		const { chain = [] } = this.n8n.executions.find((execution) => execution.id === id) ?? {};
		return this.gateway.all().filter(({ executionId }) => chain.includes(executionId));
	}

	async read(): Promise<void> {
		const known = this.gateway.all().filter(({ isKnown }) => isKnown);
		this.wasRead = true;
		if (known.length) await this.n8n.read(known.map(({ id }) => id));
	}

	private executionOf(id: string): Execution {
		return this.n8n.executions.find((execution) => execution.id === id)!;
	}

	/** The tasks that this process has made. */
	private today(): SimulatedTask[] {
		const { process } = this.n8n;
		return this.gateway.all().filter(({ id }) => this.processes.get(id) === process);
	}

	/** What tasks hold or have cost, as far as replies have said it. */
	private countKnown(tasks: readonly SimulatedTask[]): number {
		return tasks.reduce(
			(sum, { isKnown, known, model }) => sum + (isKnown ? (known ?? listedPrice(model) ?? 0) : 0),
			0,
		);
	}

	/** At most the limit is billed, plus what was running when it was reached. */
	private checkLimits(made: SimulatedTask, counted: Counted): void {
		const execution = this.executionOf(made.executionId);
		const { perExecution, perDay, model, ownKey } = execution.settings;
		if (ownKey !== 'none' || this.gateway.unclearKeys.has(made.key)) return;
		const more = listedPrice(made.model) ?? 1;
		const isAbove = (limit: number | undefined, before: number) =>
			limit !== undefined && before + more > limit * PRICES[model]! + 1;
		if (isAbove(perDay, counted.day) && !this.hasModelsOfOneKey)
			this.violations.push(`${made.id} was made when ${counted.day} were counted today`);
		// What is heard after a stop is not stored with the execution, so that a Retry does not know it.
		const { executions } = this.n8n;
		const chain = executions.filter(({ id }) => execution.chain.includes(id));
		if (this.wasRead || chain.some(({ isStopped, wasKilled }) => isStopped || wasKilled)) return;
		if (isAbove(perExecution, counted.execution))
			this.violations.push(`${made.id} was made when ${counted.execution} were counted`);
	}

	check(): void {
		const tasks = this.gateway.all();
		const log = this.n8n.log.join('\n');
		const paid = new Map<string, string>();
		for (const task of tasks) {
			const execution = this.executionOf(task.executionId);
			const { settings, chain, items, error = '', isStopped, wasKilled } = execution;
			const isPaid = task.status === 'completed' || task.status === 'running';
			const isNewRow = settings.isRandom && chain.length + Number(wasKilled) > 1;
			// A key of the user is one of each model: another execution may have paid the first one.
			const name =
				settings.ownKey === 'none' ? `${chain[0]} ${task.row}` : `key ${task.row} ${task.model}`;
			if (isPaid && !isNewRow) {
				const other = paid.get(name);
				if (other) this.violations.push(`${other} and ${task.id} are both paid for ${name}`);
				paid.set(name, task.id);
			}
			const item = items.find(
				({ task_id, details }) =>
					task_id === task.id || (details as { task_id?: string })?.task_id === task.id,
			);
			const isUnclear =
				/may_have_executed|Not known whether/.test(error) ||
				items.some(
					({ details }) => (details as { may_have_executed?: boolean })?.may_have_executed,
				);
			const isNamed = [error, log].some((text) => text.includes(`${task.id}`));
			const isFound = item ?? (isNamed || task.status === 'cancelled' || isUnclear);
			// One that failed is free, and the next try makes another one instead.
			if (!isFound && !wasKilled && task.status !== 'failed')
				this.violations.push(`${task.id} is nowhere`);
			const isCancellable = execution === this.last && execution.canCancel;
			const goesOn = isPaid && task.endsAt > execution.stoppedAt + LONGEST_CANCEL_MS;
			if (isStopped && isCancellable && goesOn)
				this.violations.push(`${task.id} goes on after the stop`);
		}
		if (!this.wasRead) this.checkRecords();
		this.checkDay();
		expect(this.violations).toEqual([]);
	}

	/** Rows with one key that use different models count as one for the day. */
	private get hasModelsOfOneKey(): boolean {
		return this.n8n.executions.some(
			({ settings: { ownKey, fallback } }) => ownKey === 'shared' && fallback !== undefined,
		);
	}

	/** Once all is known, what counts for the day is what the tasks have cost. */
	private checkDay(): void {
		const { process } = this.n8n;
		// An execution may find, and count, what an earlier process has made.
		const found = process ? this.gateway.all() : this.today();
		if (found.some((task) => !task.isKnown || !task.isKnownEnd)) return;
		if (this.hasModelsOfOneKey || this.gateway.unclearKeys.size) return;
		const costOf = (tasks: readonly SimulatedTask[]) =>
			tasks.reduce((sum, { status, cost }) => sum + (status === 'completed' ? cost : 0), 0);
		const [today] = [...DailySpend['ofAccounts']['kept'].values()];
		const counted = today?.total ?? 0;
		const [least, most] = [costOf(this.today()), costOf(found)];
		if (counted < least - 1 || counted > most + 1)
			this.violations.push(`today has ${counted} instead of ${least}`);
	}

	/** After a lost reply, one of several executions may record what another one has made. */
	private checkRecords(): void {
		const { latest, accompanied } = this.n8n;
		const isShared =
			this.gateway.unclearKeys.size > 0 && latest.some((one) => accompanied.has(one));
		if (isShared) this.checkRecord([...accompanied]);
		else for (const execution of latest) this.checkRecord([execution]);
	}

	/** The custom data says what executions have made and what it has cost. */
	private checkRecord(executions: readonly Execution[]): void {
		const isUnrecorded = ({ isOver, isStopped, wasKilled, settings }: Execution) =>
			!isOver || isStopped || wasKilled || settings.wait === 'none';
		if (executions.some(isUnrecorded)) return;
		const ids = executions.map(({ id }) => id);
		const made = this.gateway.all().filter(({ executionId }) => ids.includes(executionId));
		// What a lost reply or a short wait has left open is not known here either.
		if (made.some(({ endKnownTo }) => !ids.every((id) => endKnownTo.has(id)))) return;
		const cost = made.reduce((sum, task) => sum + (task.status === 'completed' ? task.cost : 0), 0);
		const recorded = executions.reduce(
			(sum, { customData }) => sum + Number(customData.get('gateway_cost_usd') ?? 0),
			0,
		);
		// A task that a lost reply may have made or an earlier execution, and one that another process made
		// and that still runs, are counted.
		const hasRestarted =
			this.n8n.executions.some(({ wasKilled }) => wasKilled) || this.wasRestarted;
		const hasLostReplies = this.gateway.unclearKeys.size > 0;
		const mayBeOlder = executions.some(
			({ settings, isRetry }) => settings.ownKey !== 'none' || isRetry,
		);
		const isAmbiguous = mayBeOlder && (hasRestarted || hasLostReplies);
		// One of two rows with a key has asked the next model and lost the reply; the other takes its task for an older one.
		if (isAmbiguous && this.hasModelsOfOneKey) return;
		const excess = recorded - quotaToUsd(cost);
		if (excess < -1e-9 || (excess > 1e-9 && !isAmbiguous))
			this.violations.push(
				`execution ${ids.join(' and ')} records ${recorded} instead of ${quotaToUsd(cost)}`,
			);
	}
}
