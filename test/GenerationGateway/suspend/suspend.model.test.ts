import fc from 'fast-check';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { resumeExecution } from '../../../nodes/GenerationGateway/suspend/resume';
import { suspendExecution } from '../../../nodes/GenerationGateway/suspend/suspendExecution';
import { SuspendedExecution } from '../../../nodes/GenerationGateway/suspend/suspendedExecution';
import {
	HOST_TIMER_MS,
	toSuspendedItem,
} from '../../../nodes/GenerationGateway/suspend/storedSuspension';
import { forgetAccounts } from '../../../nodes/gateway/rateLimit/accounts';
import { readTask } from '../../../nodes/gateway/tasks/schema';
import { systemClock } from '../../../nodes/n8n/systemClock';
import { byteStreamOf } from '../../support/byteStreamOf';
import { stepsOf } from '../../support/modelStep';
import { VirtualClock } from '../../support/virtualClock';

/** As many random sequences; for more: `SEQUENCES=10000 npx jest test/GenerationGateway/suspend/suspend.model`. */
const RUNS = Number(process.env.SEQUENCES ?? 2_000);
const SEED = Number(process.env.SEED ?? 20_261_125);
const HOUR_MS = 3_600_000;
const SUSPENDED_HOURS = 24;
/** A callback that is not answered with 200 is sent again after so many milliseconds. */
const REPEATS_MS = [1_000, 5_000, 30_000, 120_000, 600_000];
/** Own checks come once in half an hour at least; a poll that fails is repeated. */
const LONGEST_MS = HOUR_MS;
const LATENCY_MS = 30;
const EXECUTION_URL = 'https://n8n.example.com/webhook-waiting/1?signature=abc';

type Status = 'running' | 'completed' | 'failed';
interface SimulatedTask {
	id: string;
	status: Status;
}
type PollFault = 'reset' | 500 | 429;

/** The gateway and n8n as far as a suspended execution sees them. */
class World {
	readonly clock = new VirtualClock();
	readonly violations: string[] = [];
	tasks: SimulatedTask[] = [];
	pollFaults: PollFault[] = [];
	pollMs = LATENCY_MS;
	/** The read of the credential takes so long; so many times it fails. */
	credentialMs = 0;
	credentialFaults = 0;
	/** After a crash n8n may not resume, although it was told to: once for each suspension. */
	refuses = false;
	private refused = 0;
	/** The process that has suspended the execution. */
	private maker = 0;
	/** n8n keeps a resume in a queue for so long. */
	queueMs = 100;
	private status: 'running' | 'waiting' = 'running';
	private stored: INodeExecutionData[] = [];
	private waitTill = 0;
	private suspension = 0;
	private process = 0;
	/** The process has heard of the suspension: it has made it, or was called. */
	isKnown = false;
	/** n8n has the items with which the execution goes on. Older hosts would take them twice. */
	private isResumed = false;
	private readonly resumed = new Map<number, number>();
	private timers = new Set<() => void>();

	constructor(private readonly id: string) {
		const after = (ms: number, callback: () => void) => {
			const cancel = this.clock.after(ms, () => (this.timers.delete(cancel), callback()));
			this.timers.add(cancel);
			return cancel;
		};
		Object.assign(systemClock, { now: () => this.clock.now(), after });
		jest.spyOn(Date, 'now').mockImplementation(() => this.clock.now());
		this.forget();
	}

	get isWaiting(): boolean {
		return this.status === 'waiting';
	}

	/** The process ends; what it knew and planned is lost. */
	restart(): void {
		this.process += 1;
		this.isKnown = false;
		this.isResumed = false;
		for (const cancel of this.timers) cancel();
		this.timers.clear();
		this.forget();
	}

	/** A node submits tasks and suspends the execution for all that run. n8n saves it a moment later. */
	async suspend(count: number): Promise<void> {
		this.suspension += 1;
		this.maker = this.process;
		this.isResumed = false;
		this.isKnown = true;
		const from = this.tasks.length;
		const made = Array.from({ length: count }, (_, at): SimulatedTask => ({
			id: `task_${from + at + 1}`,
			status: 'running',
		}));
		this.tasks.push(...made);
		const options = { outputOptions: { simplify: true }, hours: 1, cancelsOnStop: false };
		const items = this.running().map((task) =>
			toSuspendedItem({ task: readTask(describeTask(task))!, ...options }),
		);
		const data = { data: { main: [items] } };
		const flow = { generationGatewayCallback: { executionId: this.id, callbacks: 'all' } };
		await suspendExecution(
			{
				...this.node(),
				getContext: () => flow,
				getExecuteData: () => data,
				getWorkflowDataProxy: () => ({ $execution: { resumeUrl: EXECUTION_URL } }),
				putExecutionToWait: async (until: Date) => void (this.waitTill = until.getTime()),
			} as unknown as IExecuteFunctions,
			items,
			new Date(this.clock.now() + SUSPENDED_HOURS * HOUR_MS),
		);
		const { suspension } = this;
		this.clock.after(200, () => {
			[this.stored] = data.data.main as [INodeExecutionData[]];
			this.status = 'waiting';
			this.clock.after(this.waitTill - this.clock.now(), () => this.passByTimer(suspension));
		});
	}

	/** Time passes until so long before n8n goes on by itself. */
	async approachEnd(msBefore: number): Promise<void> {
		if (this.isWaiting) await this.clock.sleep(this.waitTill - msBefore - this.clock.now());
	}

	/** A task ends, and the gateway calls back until it is answered, unless its callback is lost. */
	end(at: number, status: Status, isLost = false): void {
		const task = this.running()[at % Math.max(1, this.running().length)];
		if (!task) return;
		task.status = status;
		if (!isLost) void this.callBack(task.id, REPEATS_MS);
	}

	running(): SimulatedTask[] {
		return this.tasks.filter(({ status }) => status === 'running');
	}

	/** One call of the link by the gateway, by chance by somebody else, or by the node itself. */
	async request(body: IDataObject): Promise<{ statusCode: number; body: IDataObject }> {
		await this.clock.sleep(LATENCY_MS);
		if (this.status !== 'waiting')
			return { statusCode: 409, body: { message: `The execution "${this.id}" is running` } };
		const { suspension, process } = this;
		let statusCode = 200;
		const response = {
			status: (code: number) => ((statusCode = code), response),
			json: () => response,
		};
		const { workflowData } = await resumeExecution({
			...this.node(),
			getBodyData: () => body,
			getResponseObject: () => response,
			evaluateExpression: () => JSON.stringify({ items: this.stored, executionUrl: EXECUTION_URL }),
		} as never);
		// Its answer died with the process.
		if (process !== this.process) return { statusCode: 502, body: {} };
		this.isKnown = true;
		if (workflowData) this.resume(suspension, workflowData[0] as INodeExecutionData[]);
		return { statusCode, body: {} };
	}

	private async callBack(task_id: string, delays: readonly number[]): Promise<void> {
		const { statusCode } = await this.request({ task_id });
		const [ms, ...later] = delays;
		if (statusCode === 200 || ms === undefined) return;
		await this.clock.sleep(ms);
		await this.callBack(task_id, later);
	}

	/** n8n starts the execution a moment after the answer, and may not. */
	private resume(suspension: number, items: INodeExecutionData[]): void {
		if (this.isResumed || suspension !== this.suspension)
			this.violations.push(`suspension ${suspension} was resumed twice`);
		this.isResumed = true;
		const { process } = this;
		const isOwn = process === this.maker;
		this.clock.after(isOwn ? this.queueMs : 100, () => {
			if (process !== this.process) return;
			if (this.refuses && !isOwn && this.refused < suspension) {
				this.refused = suspension;
				this.isResumed = false;
				return;
			}
			if (this.status !== 'waiting' || suspension !== this.suspension) return;
			this.goOn(suspension);
			const open = items.filter(
				({ json }) => json.status !== 'completed' && json.status !== 'failed',
			);
			const isEarly = this.clock.now() < this.waitTill - HOUR_MS;
			if (open.length && isEarly) this.violations.push(`${open.length} tasks were not awaited`);
			if (items.length !== this.stored.length)
				this.violations.push(`${items.length} items instead of ${this.stored.length}`);
		});
	}

	/** n8n lets the execution go on with the stored items. */
	private passByTimer(suspension: number): void {
		if (this.status === 'waiting' && suspension === this.suspension) this.goOn(suspension);
	}

	private goOn(suspension: number): void {
		this.status = 'running';
		this.resumed.set(suspension, (this.resumed.get(suspension) ?? 0) + 1);
	}

	private forget(): void {
		for (const map of [SuspendedExecution['known'], SuspendedExecution['checkers']]) map.clear();
		forgetAccounts();
	}

	private node() {
		const log = () => undefined;
		const { process } = this;
		/** A process that has ended hears no answer. */
		const inProcess = async <T>(work: Promise<T>): Promise<T> =>
			await work.finally(async () => {
				if (process !== this.process) await new Promise<never>(() => undefined);
			});
		return {
			getExecutionId: () => this.id,
			getNode: () => ({ id: 'node', name: 'Await', parameters: {}, credentials: {} }),
			getWorkflow: () => ({ id: 'workflow' }),
			getCredentials: async () => await inProcess(this.readCredential()),
			logger: { info: log, warn: log, debug: log, error: log },
			helpers: {
				httpRequest: async ({ body }: { body: IDataObject }) => await inProcess(this.request(body)),
				httpRequestWithAuthentication: async (_name: string, { url }: { url: string }) =>
					await inProcess(this.poll(url)),
			},
		};
	}

	private async readCredential() {
		await this.clock.sleep(this.credentialMs);
		if (this.credentialFaults > 0) {
			this.credentialFaults -= 1;
			throw new Error('Credential not found');
		}
		return { baseUrl: 'https://gateway.example.com', apiKey: 'key' };
	}

	private async poll(url: string) {
		await this.clock.sleep(this.pollMs);
		const fault = this.pollFaults.shift();
		if (fault === 'reset') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
		if (fault) return { statusCode: fault, headers: {}, body: byteStreamOf({}) };
		const task = this.tasks.find(({ id }) => url.endsWith(id))!;
		return { statusCode: 200, headers: {}, body: byteStreamOf(describeTask(task)) };
	}

	/** Throws when a promise was broken. */
	check(): void {
		for (const [suspension, times] of this.resumed)
			if (times > 1) this.violations.push(`suspension ${suspension} went on ${times} times`);
		expect(this.violations).toEqual([]);
	}
}

const describeTask = ({ id: task_id, status }: SimulatedTask): IDataObject => ({
	task_id,
	model: 'imgn-4.0',
	status: status === 'running' ? 'processing' : status,
	...(status === 'completed' && { result: { images: [{ url: ['https://example.com/a.png'] }] } }),
});

const step = stepsOf<World>();
const commands = fc.commands(
	[
		fc
			.tuple(fc.nat(5), fc.constantFrom<Status>('completed', 'completed', 'failed'), fc.boolean())
			.map(([at, status, isLost]) =>
				step(`task ${at} ${status}${isLost ? ', its callback is lost' : ''}`, (world) =>
					world.end(at, status, isLost),
				),
			),
		fc
			.constantFrom(10, 600, 4_000, 60_000, 900_000)
			.map((ms) => step(`${ms} ms pass`, async (world) => await world.clock.sleep(ms))),
		fc
			.array(fc.constantFrom<PollFault>('reset', 500, 429), { minLength: 1, maxLength: 8 })
			.map((faults) =>
				step(`polls fail: ${faults.join()}`, (world) => world.pollFaults.push(...faults)),
			),
		fc
			.constantFrom(LATENCY_MS, 2_000, 20_000)
			.map((ms) => step(`a poll takes ${ms} ms`, (world) => (world.pollMs = ms))),
		fc
			.constantFrom(0, 700, 5_000)
			.map((ms) => step(`the credential takes ${ms} ms`, (world) => (world.credentialMs = ms))),
		fc
			.integer({ min: 1, max: 3 })
			.map((times) =>
				step(`the credential fails ${times} times`, (world) => (world.credentialFaults += times)),
			),
		fc
			.constantFrom(300_000, HOST_TIMER_MS + 5_000, HOST_TIMER_MS, 1_000)
			.map((ms) => step(`${ms} ms are left`, async (world) => await world.approachEnd(ms))),
		fc.boolean().map((refuses) =>
			step(`n8n ${refuses ? 'refuses a resume' : 'takes each resume'} after a crash`, (world) => {
				world.refuses = refuses;
			}),
		),
		fc
			.constantFrom(100, 20_000, 1_200_000)
			.map((ms) => step(`n8n queues a resume for ${ms} ms`, (world) => (world.queueMs = ms))),
		fc.integer({ min: 1, max: 4 }).map((count) =>
			step(`${count} strangers call`, async (world) => {
				await Promise.all(
					Array.from({ length: count }, () => world.request({ task_id: 'task_1' })),
				);
			}),
		),
		fc.constant(step('the process restarts', (world) => world.restart())),
		fc.nat(4).map((count) =>
			step(`the execution suspends again for ${count} more`, async (world) => {
				if (world.isWaiting || !(count + world.running().length)) return;
				await world.suspend(count);
				await world.clock.sleep(300);
			}),
		),
	],
	{ maxCommands: 14 },
);

/** All faults are over, and all tasks end. */
async function settle(world: World, isLost: boolean): Promise<void> {
	Object.assign(world, { pollFaults: [], refuses: false, pollMs: LATENCY_MS, queueMs: 100 });
	Object.assign(world, { credentialMs: 0, credentialFaults: 0 });
	while (world.running().length) world.end(0, 'completed', isLost);
	await world.clock.run(world.clock.sleep(LATENCY_MS * 20));
	// n8n's own timer is left where the process has not heard of it.
	const longestMs = world.isKnown ? LONGEST_MS : (SUSPENDED_HOURS + 1) * HOUR_MS;
	await world.clock.run(world.clock.sleep(longestMs));
	if (world.isWaiting) world.violations.push(`still waits after ${longestMs / 60_000} minutes`);
	world.check();
	world.restart();
}

describe('a suspended execution', () => {
	const original = { ...systemClock };
	afterAll(() => {
		Object.assign(systemClock, original);
		jest.restoreAllMocks();
	});

	it('goes on once when its checks are over while a callback still polls', async () => {
		const world = new World('slow');
		const wait = async (work: Promise<void>) => await world.clock.run(work);
		await wait(world.suspend(2));
		await wait(world.clock.sleep(300));
		await wait(world.approachEnd(300_000));
		world.end(0, 'completed');
		world.pollMs = 20_000;
		await wait(world.approachEnd(HOST_TIMER_MS + 5_000));
		await settle(world, false);
	});

	it(`goes on once, when all its tasks have ended, in ${RUNS} random sequences of callbacks, faults and restarts`, async () => {
		let executions = 0;
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 4 }),
				fc.boolean(),
				commands,
				async (count, isLost, sequence) => {
					const real = new World(String((executions += 1)));
					await real.clock.run(real.suspend(count));
					await fc.asyncModelRun(() => ({ model: {}, real }), sequence);
					await settle(real, isLost);
				},
			),
			{ numRuns: RUNS, seed: SEED },
		);
	}, 3_600_000);
});
