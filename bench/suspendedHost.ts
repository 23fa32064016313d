import { setTimeout as after } from 'node:timers/promises';
import axios from 'axios';
import type { Sandbox } from '../sandbox';
import type { WorkflowJson } from '../scripts/engine';
import { readLoad } from '../scripts/processLoad';
import type { Services } from '../scripts/queue/services';
import type { BenchHost } from './benchHost';
import { readWrites, writesBetween, type TableWrites } from './databaseWrites';

export const TASKS_EACH = 25;
/** Executions that have been started and are not suspended yet. */
const STARTING = 12;
const TIMEOUT_MS = 900_000;

/** What executions have written, and what they asked of the gateway while suspended. */
export interface EndedRun {
	executions: number;
	suspendWrites: TableWrites[];
	resumeWrites: TableWrites[];
	/** Polls from the suspension on. */
	polls: number;
}

/** An n8n in which executions are suspended by the hundred. */
export class SuspendedHost {
	readonly sandbox: Sandbox;
	private readonly rows: object[];

	constructor(
		private readonly benchHost: BenchHost,
		private readonly services: Services,
		tasksEach: number,
	) {
		this.sandbox = benchHost.sandbox;
		this.rows = Array.from({ length: tasksEach }, (_, row) => ({ prompt: `Row ${row}` }));
	}

	get processId(): number {
		return this.benchHost.host.processId;
	}

	async publish(workflow: WorkflowJson & { name: string }): Promise<string> {
		return await this.benchHost.publish(workflow);
	}

	/** The links that executions have told since the requests were last forgotten. */
	links(): string[] {
		return this.sandbox.requests.flatMap(({ query }) =>
			query.resume ? [String(query.resume)] : [],
		);
	}

	/** Starts executions and resolves when all are suspended; gives the kilobytes by which n8n grew for each. */
	async suspend(url: string, executions: number): Promise<number> {
		const before = await readLoad(this.processId);
		for (let started = 0; started < executions; started += 1) {
			if (started > STARTING) await this.untilWaiting(started - STARTING);
			await axios.post(url, { rows: this.rows });
		}
		await this.untilWaiting(executions);
		const { megabytes } = await readLoad(this.processId);
		return (1024 * (megabytes - before.megabytes)) / executions;
	}

	/** Suspends executions, ends them all, and counts. */
	async countWrites(
		url: string,
		executions: number,
		end: () => Promise<unknown>,
	): Promise<EndedRun> {
		const { services, sandbox } = this;
		const before = await readWrites(services);
		await this.suspend(url, executions);
		const between = await readWrites(services);
		const requests = sandbox.requests.length;
		await end();
		await this.until((states) => [...states.keys()].every((status) => status === 'success'));
		return {
			executions,
			suspendWrites: writesBetween(before, between),
			resumeWrites: writesBetween(between, await readWrites(services)),
			polls: sandbox.requests.length - requests,
		};
	}

	/** Takes the suspended executions for ended. */
	async forgetAll(): Promise<void> {
		await this.services.query(`update execution_entity set "deletedAt" = now()`);
	}

	private async untilWaiting(count: number): Promise<void> {
		await this.until((states) => (states.get('waiting') ?? 0) >= count);
	}

	/** Waits for numbers of executions by status; n8n marks those that it does not keep as deleted. */
	private async until(isMet: (states: Map<string, number>) => boolean): Promise<void> {
		const sql =
			'select status, count(*) from execution_entity where "deletedAt" is null group by status';
		for (const end = Date.now() + TIMEOUT_MS; ; await after(200)) {
			const states = new Map(
				(await this.services.query(sql)).map(([status, count]): [string, number] => [
					status!,
					Number(count),
				]),
			);
			if (isMet(states)) return;
			if (states.has('error') || states.has('crashed') || Date.now() > end)
				throw new Error(`Suspended executions: ${JSON.stringify([...states])}`);
		}
	}
}
