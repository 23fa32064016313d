import { createSandbox, type Sandbox } from '../../sandbox';
import { runWorkflow, type EngineOptions, type EngineRun } from '../../scripts/engine';
import { packageWith } from '../../scripts/package';
import { NODE } from '../support/gateway';
import { restartProcess } from '../support/restartProcess';
import type { CallRow, Prepared } from './calls';
import type { Fault } from './faults';
import { expectedOutcome } from './outcomes';
import { observeCallback, observeResume } from './callbackCells';
import { GATEWAY, N8N, VirtualInternet, type SentRequest } from './internet';
import { VirtualTime } from './virtualTime';
import { TASK_MS, workflowOf, type Moment } from './workflow';

/** What came of a cell. */
export interface Observation {
	/** How the item ended: see `End`. */
	end: string;
	details: Record<string, unknown>;
	/** The items that came out, failed ones included. */
	itemCount: number;
	minutes: number;
	/** The user's stop found it running. */
	isStopped: boolean;
	/** Calls of this kind. */
	requests: SentRequest[];
	/** Calls after the end, or after the stop. */
	requestsAfter: SentRequest[];
	/** Tasks at the gateway that are or will be charged. */
	charged: number;
	/** Answers that the gateway produced. */
	answers: number;
	/** All that the user sees. */
	output: string;
}

/** A clock that is wrong. */
export interface ClockFault {
	/** Somebody sets that of the machine by so many milliseconds when the fault strikes. */
	setMs?: number;
	/** That of the gateway is so many milliseconds ahead. */
	gatewayMs?: number;
}

const BUSY: Fault = { name: 'busy', group: 'too many', refusal: { status: 429 } };

/** Runs cells one after the other: the real engine and the real node, on virtual time. */
export class CellRunner {
	private constructor(
		readonly sandbox: Sandbox,
		readonly time: VirtualTime,
		readonly internet: VirtualInternet,
	) {}

	static async create(): Promise<CellRunner> {
		const { sandbox } = await createSandbox({
			publicUrl: GATEWAY,
			taskMs: TASK_MS,
			assetReviewMs: TASK_MS,
			callbacks: 'lost',
		});
		const time = new VirtualTime();
		return new CellRunner(sandbox, time, new VirtualInternet(sandbox, time));
	}

	async close(): Promise<void> {
		this.internet.uninstall();
		this.time.uninstall();
		await this.sandbox.close();
	}

	/** `clock`: what is wrong with a clock, and from when on. */
	async run(
		row: CallRow,
		fault: Fault,
		moment: Moment,
		longestMs: number,
		clock: ClockFault = {},
	): Promise<Observation> {
		const { gatewayMs = 0 } = clock;
		this.sandbox.settings.now = () => this.time.now + gatewayMs;
		this.sandbox.settings.taskMs = row.taskMs ?? TASK_MS;
		// Where the request itself is answered with the result, there is no poll.
		this.sandbox.settings.maxWaitSeconds = row.kind === 'poll' ? 0 : 60;
		this.sandbox.reset();
		this.internet.reset();
		this.time.restart();
		restartProcess();
		const id = await this.prepare(row.prepared);
		this.sandbox.requests.length = 0;
		const injection = this.arm(row, fault, moment, clock);
		if (row.kind === 'callback') return await observeCallback(this, row, id, longestMs);
		if (row.kind === 'resume')
			return await observeResume(this, row, id, moment === 'once', longestMs);

		const user = new AbortController();
		const options: EngineOptions = { ...this.options(), executionId: '77', signal: user.signal };
		const start = () => runWorkflow(workflowOf(row, id, moment), options);
		if (moment === 'kill') return await this.observeKill(row, start, injection, longestMs);
		if (moment === 'stop') return await this.observeStop(row, start, injection, user, longestMs);
		const run = await this.time.run(start(), longestMs);
		return await this.observe(row, run);
	}

	/** Forgets what was before, and makes so many tasks that run. */
	async begin(count: number): Promise<string[]> {
		this.sandbox.settings.taskMs = Infinity;
		this.sandbox.reset();
		this.internet.reset();
		this.time.restart();
		restartProcess();
		const ids: string[] = [];
		while (ids.length < count) ids.push(await this.prepare('running task'));
		return ids;
	}

	options(): EngineOptions {
		return {
			...packageWith(GATEWAY, this.sandbox.key),
			binaryMode: 'default',
			instanceBaseUrl: N8N,
		};
	}

	private async prepare(what: Prepared | undefined): Promise<string> {
		if (!what) return '';
		const isAsset = what === 'asset';
		const body = isAsset
			? { model: 'sdn-2.0', type: 'image', url: 'https://example.com/face.png' }
			: { model: 'imgn-4.0', prompt: 'a kite' };
		const response = await this.sandbox.inject({
			method: 'POST',
			url: isAsset ? '/v1/assets' : '/v1/tasks',
			headers: { authorization: `Bearer ${this.sandbox.key}` },
			payload: body,
		});
		const { id, task_id } = response.json<{ id?: string; task_id?: string }>();
		if (what === 'ended task') await this.sandbox.finish(task_id ?? id!);
		return (task_id ?? id)!;
	}

	/** Injects the fault at its moment; resolves when it has struck. */
	private arm(
		row: CallRow,
		fault: Fault,
		moment: Moment,
		{ setMs = 0 }: ClockFault,
	): Promise<void> {
		let seen = 0;
		let resolveInjection: () => void;
		const injection = new Promise<void>((resolve) => (resolveInjection = resolve));
		const isOvercome = expectedOutcome(row.kind, fault).once === 'done';
		const last = { always: Infinity, 'retry on fail': isOvercome ? triesOf(row.kind) : 1 }[
			moment as string
		];
		const first = moment === 'after retries' ? 3 : 1;
		this.internet.inject = ({ method, path, isWaiting }) => {
			if (method !== row.match.method || !row.match.path.test(path)) return undefined;
			if (row.kind === 'wait' && !isWaiting) return undefined;
			seen += 1;
			if (seen < first) return BUSY;
			if (seen > (last ?? first)) return undefined;
			if (setMs && seen === first) this.time.setClock(setMs);
			resolveInjection();
			return fault;
		};
		return injection;
	}

	private async observeStop(
		row: CallRow,
		start: () => Promise<EngineRun>,
		injection: Promise<void>,
		user: AbortController,
		longestMs: number,
	): Promise<Observation> {
		const running = start();
		await this.time.run(Promise.race([injection, running]), longestMs);
		// Right in the exchange, or in the delay before it is repeated.
		await this.time.pass(100);
		const stoppedAt = this.time.elapsed;
		user.abort();
		const run = await this.time.run(running, 60_000);
		const minutes = (this.time.elapsed - stoppedAt) / 60_000;
		const before = this.internet.requests.length;
		await this.time.pass(30 * 60_000);
		const observed = await this.observe(row, run);
		return { ...observed, minutes, requestsAfter: this.internet.requests.slice(before) };
	}

	private async observeKill(
		row: CallRow,
		start: () => Promise<EngineRun>,
		injection: Promise<void>,
		longestMs: number,
	): Promise<Observation> {
		const killed = start();
		killed.catch(() => undefined);
		await this.time.run(Promise.race([injection, killed]), longestMs);
		await this.time.pass(100);
		this.internet.kill();
		this.time.restart(true);
		restartProcess();
		const startedAt = this.time.elapsed;
		const run = await this.time.run(start(), longestMs);
		const minutes = (this.time.elapsed - startedAt) / 60_000;
		return { ...(await this.observe(row, run)), minutes };
	}

	async observe(row: CallRow, run: EngineRun | undefined): Promise<Observation> {
		const minutes = this.time.elapsed / 60_000;
		const { requests } = this.internet;
		const made = requests.length;
		const [good, bad] = run ? [run.json(NODE), run.json(NODE, 1)] : [[], []];
		if (run && !good.length && !bad.length) bad.push(itemOfError(run));
		await this.time.pass(30 * 60_000);
		const ofKind = requests.filter(
			({ method, path }) => method === row.match.method && row.match.path.test(path),
		);
		return {
			end: endOf(row, run, good[0], bad[0]),
			details: (bad[0]?.details ?? {}) as Record<string, unknown>,
			itemCount: good.length + bad.length,
			minutes,
			isStopped: run?.status === 'canceled',
			requests: ofKind,
			requestsAfter: requests.slice(made),
			charged: this.sandbox.tasks().filter(({ status, cost }) => cost > 0 || isOpen(status)).length,
			answers: ofKind.filter(({ isWorked }) => isWorked).length,
			output: JSON.stringify(run?.run.data ?? {}),
		};
	}
}

const isOpen = (status: string) =>
	!['completed', 'succeeded', 'failed', 'cancelled'].includes(status);

/** How many calls the node makes before it gives up. */
const triesOf = (kind: CallRow['kind']): number =>
	({ submit: 6, read: 6, cancel: 6, download: 6 })[kind as string] ?? 1;

/** With On Error: Stop the error of the node says what an item would. */
function itemOfError(run: EngineRun): Record<string, unknown> {
	const error = run.nodeError(NODE) as { message?: string; context?: { details?: unknown } };
	return { error: error?.message, details: error?.context?.details };
}

function endOf(
	{ done: [field, pattern] }: CallRow,
	run: EngineRun | undefined,
	good: Record<string, unknown> | undefined,
	bad: Record<string, unknown> | undefined,
): string {
	if (!run) return 'without an end';
	if (good) return pattern.test(JSON.stringify(good[field] ?? '')) ? 'done' : 'pending';
	return String((bad?.details as { code?: string } | undefined)?.code ?? 'no code');
}
