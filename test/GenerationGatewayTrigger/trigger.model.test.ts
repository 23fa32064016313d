import fc from 'fast-check';
import * as n8nWorkflow from 'n8n-workflow';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import * as zod from 'zod';
import { byteStreamOf } from '../support/byteStreamOf';
import { stepsOf } from '../support/modelStep';
import { VirtualClock } from '../support/virtualClock';

/** As many random sequences; for more: `SEQUENCES=5000 npx jest test/GenerationGatewayTrigger/trigger.model`. */
const RUNS = Number(process.env.SEQUENCES ?? 300);
const SEED = Number(process.env.SEED ?? 20_261_126);
/** A callback that is not answered with 200 is sent again after so many milliseconds. */
const REPEATS_MS = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000];
const LATENCY_MS = 20;
/** Of two processes that record at once, one writes over the other, which looks after 3 s at most. */
const RACE_MS = 10_000;

type PollFault = 'reset' | 500 | 429 | 404;
interface SimulatedTask {
	id: string;
	endedAt: number;
	/** Times at which the workflow has started for it. */
	starts: number[];
	/** A run that n8n had taken died with its process, and nobody calls again. */
	isExcused: boolean;
	isAnswered: boolean;
}

const LIBRARIES = Object.entries({ 'n8n-workflow': n8nWorkflow, zod });

/** One n8n process: its own copy of all modules, so that it remembers nothing of another one. */
class Process {
	isAlive = true;
	kill!: () => void;
	readonly died = new Promise<'died'>((resolve) => {
		this.kill = () => {
			this.isAlive = false;
			resolve('died');
		};
	});
	readonly handleCallback: (node: never) => Promise<{
		noWebhookResponse?: boolean;
		workflowData?: INodeExecutionData[][];
	}>;
	readonly beginRun: (node: never) => Promise<INodeExecutionData[]>;

	constructor(clock: VirtualClock) {
		let loaded!: Pick<Process, 'handleCallback' | 'beginRun'>;
		jest.isolateModules(() => {
			// They keep nothing, and are large.
			for (const [name, module] of LIBRARIES) jest.doMock(name, () => module);
			const load = (file: string) =>
				// eslint-disable-next-line @typescript-eslint/no-require-imports
				require(`../../nodes/${file}`) as Record<string, never>;
			const after = (ms: number, callback: () => void) =>
				clock.after(ms, () => this.isAlive && callback());
			Object.assign(load('n8n/systemClock').systemClock!, { now: () => clock.now(), after });
			const { handleCallback } = load('GenerationGatewayTrigger/callback');
			const { beginRun } = load('GenerationGatewayTrigger/run');
			loaded = { handleCallback: handleCallback!, beginRun: beginRun! };
		});
		({ handleCallback: this.handleCallback, beginRun: this.beginRun } = loaded);
	}
}

/** The gateway, and n8n with its processes and the table that they share. */
class World {
	readonly clock = new VirtualClock();
	readonly violations: string[] = [];
	readonly tasks: SimulatedTask[] = [];
	pollFaults: PollFault[] = [];
	/** The status of a task is that late. */
	lagMs = 0;
	/** So many runs n8n does not take, where it gives the answer itself. */
	refusals = 0;
	private readonly processes: Process[];
	private readonly table = new Set<string>();
	private executions = 0;
	private wasKilled = false;

	constructor(
		count: number,
		/** Runs begin in another process. */
		private readonly hasWorker: boolean,
	) {
		jest.spyOn(Date, 'now').mockImplementation(() => this.clock.now());
		this.processes = Array.from({ length: count }, () => new Process(this.clock));
	}

	/** What ran in a process, and had not begun there, is lost. */
	kill(at: number): void {
		const index = at % this.processes.length;
		this.processes[index]!.kill();
		this.processes[index] = new Process(this.clock);
		this.wasKilled = true;
	}

	/** Tasks end, and the gateway calls back: for each, or once for all of them. */
	end(count: number, isTogether: boolean, copies: number): void {
		const ended = Array.from({ length: count }, (_, at): SimulatedTask => ({
			id: `task_${this.tasks.length + at + 1}`,
			endedAt: this.clock.now(),
			starts: [],
			isExcused: false,
			isAnswered: false,
		}));
		this.tasks.push(...ended);
		for (let copy = 0; copy < copies; copy += 1)
			for (const named of isTogether ? [ended] : ended.map((task) => [task]))
				void this.callBack(named, REPEATS_MS, copy);
	}

	/** Somebody sends again what was answered long ago, or names what does not exist. */
	repeat(at: number): void {
		const task = this.tasks[at % Math.max(1, this.tasks.length)];
		void this.request(task ? [task.id] : ['task_unknown'], at);
	}

	private async callBack(
		tasks: SimulatedTask[],
		delays: readonly number[],
		at: number,
	): Promise<void> {
		const status = await this.request(
			tasks.map(({ id }) => id),
			at,
		);
		if (status === 200) for (const task of tasks) task.isAnswered = true;
		const [ms, ...later] = delays;
		if (status === 200 || ms === undefined) return;
		await this.clock.sleep(ms);
		await this.callBack(tasks, later, at + 1);
	}

	/** One call; the answer of a process that died meanwhile is that of a proxy. */
	private async request(ids: string[], at: number): Promise<number> {
		await this.clock.sleep(LATENCY_MS);
		const process = this.processes[at % this.processes.length]!;
		let statusCode = 200;
		const finish: (() => void)[] = [];
		const response = {
			get statusCode() {
				return statusCode;
			},
			status: (code: number) => ((statusCode = code), response),
			json: () => response,
			once: (_event: string, listener: () => void) => finish.push(listener),
		};
		const [first, ...others] = ids.map((task_id) => ({ task_id }));
		const body = others.length ? { tasks: [first, ...others] } : first;
		const handled = process.handleCallback({
			...this.node(process),
			getMode: () => 'webhook',
			getBodyData: () => body,
			getQueryData: () => ({}),
			getRequestObject: () => ({ path: '/webhook/1/callback' }),
			getResponseObject: () => response,
		} as never);
		const answer = await Promise.race([handled, process.died]);
		if (answer === 'died') return 502;
		const { workflowData, noWebhookResponse } = answer;
		const isRefused = workflowData !== undefined && !noWebhookResponse && this.refusals > 0;
		if (isRefused) {
			this.refusals -= 1;
			statusCode = 500;
		}
		for (const listener of finish) listener();
		if (workflowData && !isRefused) void this.start(process, workflowData[0]!, statusCode === 200);
		return statusCode;
	}

	/** n8n begins a run a moment after it has taken it, unless its process dies before. */
	private async start(
		taker: Process,
		items: INodeExecutionData[],
		isAnswered: boolean,
	): Promise<void> {
		const ids = items.map(({ json }) => json.task_id);
		const executionId = String((this.executions += 1));
		const at = this.processes.indexOf(taker);
		const process = this.processes[(at + Number(this.hasWorker)) % this.processes.length]!;
		await this.clock.sleep(50);
		const excuse = () => {
			for (const task of this.tasks) task.isExcused ||= isAnswered && ids.includes(task.id);
		};
		if (!process.isAlive) return excuse();
		const run = process.beginRun({
			...this.node(process),
			getMode: () => 'webhook',
			getExecutionId: () => executionId,
			getInputData: () => items,
			getNodeParameter: (name: string, _row: number, fallback: unknown) =>
				name === 'options' ? {} : fallback,
			continueOnFail: () => false,
		} as never);
		const started = await Promise.race([run, process.died]);
		if (started === 'died') return excuse();
		for (const { json } of started) {
			const task = this.tasks.find(({ id }) => id === json.task_id)!;
			task.starts.push(this.clock.now());
		}
	}

	private node(process: Process) {
		const log = () => undefined;
		return {
			getNode: () => ({ id: 'node', name: 'Trigger', parameters: {}, credentials: {} }),
			getWorkflow: () => ({ id: 'workflow' }),
			getNodeParameter: (name: string, fallback: unknown) =>
				name === 'events' ? ['completed', 'failed'] : fallback,
			getCredentials: async () => ({ baseUrl: 'https://gateway.example.com', apiKey: 'key' }),
			logger: { info: log, warn: log, debug: log, error: log },
			helpers: {
				httpRequestWithAuthentication: async (_name: string, { url }: { url: string }) =>
					await this.poll(url),
				checkProcessedAndRecord: async (entries: string[]) => await this.record(entries, process),
			},
		};
	}

	/** Reads, adds and writes, without a lock. */
	private async record(entries: string[], process: Process) {
		await this.clock.sleep(5);
		const read = new Set(this.table);
		await this.clock.sleep(5);
		if (process.isAlive) {
			this.table.clear();
			for (const text of [...read, ...entries]) this.table.add(text);
		}
		return { processed: entries.filter((text) => read.has(text)) };
	}

	private async poll(url: string) {
		await this.clock.sleep(LATENCY_MS);
		const fault = this.pollFaults.shift();
		if (fault === 'reset') throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
		const task = this.tasks.find(({ id }) => url.endsWith(`/${id}`));
		const statusCode = fault ?? (task ? 200 : 404);
		const hasEnded = task && this.clock.now() >= task.endedAt + this.lagMs;
		const body: IDataObject =
			statusCode === 200
				? { task_id: task!.id, status: hasEnded ? 'failed' : 'processing' }
				: { error: { code: statusCode === 404 ? 'not_found' : 'x' } };
		return { statusCode, headers: {}, body: byteStreamOf(body) };
	}

	check(): void {
		for (const { id, starts } of this.tasks) {
			const [first = 0, second = Infinity] = starts;
			const mayRace = this.processes.length > 1 && (this.wasKilled || second - first < RACE_MS);
			if (starts.length > 1 && !mayRace) this.violations.push(`${id} started at ${starts.join()}`);
		}
		expect(this.violations).toEqual([]);
	}

	/** All faults are over, and every callback was sent as often as the gateway sends it. */
	async settle(): Promise<void> {
		Object.assign(this, { pollFaults: [], refusals: 0, lagMs: 0 });
		await this.clock.run(this.clock.sleep(REPEATS_MS.reduce((sum, ms) => sum + ms, 60_000)));
		for (const { id, starts, isExcused, isAnswered } of this.tasks) {
			if (!isAnswered) this.violations.push(`the callback of ${id} was never answered`);
			if (!starts.length && !isExcused) this.violations.push(`${id} has started nothing`);
		}
		this.check();
		for (const process of this.processes) process.kill();
	}
}

const step = stepsOf<World>();
const pass = (ms: number) => step(`${ms} ms pass`, async (world) => await world.clock.sleep(ms));
const commands = fc.commands(
	[
		fc
			.tuple(fc.integer({ min: 1, max: 7 }), fc.boolean(), fc.constantFrom(1, 1, 1, 2))
			.map(([count, isTogether, copies]) =>
				step(
					`${count} tasks end, ${isTogether ? 'one callback' : 'a callback each'}, ${copies} times`,
					(world) => world.end(count, isTogether, copies),
				),
			),
		fc.constantFrom(10, 60, 600, 4_000, 40_000, 900_000).map(pass),
		fc
			.array(fc.constantFrom<PollFault>('reset', 500, 429, 404), { minLength: 1, maxLength: 8 })
			.map((faults) =>
				step(`polls fail: ${faults.join()}`, (world) => world.pollFaults.push(...faults)),
			),
		fc
			.constantFrom(0, 300, 3_000, 20_000)
			.map((ms) => step(`statuses are ${ms} ms late`, (world) => (world.lagMs = ms))),
		fc
			.integer({ min: 1, max: 3 })
			.map((times) => step(`n8n refuses ${times} runs`, (world) => (world.refusals += times))),
		fc.nat(9).map((at) => step(`callback ${at} comes again`, (world) => world.repeat(at))),
		fc.nat(1).map((at) => step(`process ${at} is killed`, (world) => world.kill(at))),
	],
	{ maxCommands: 12 },
);

describe('the trigger', () => {
	afterAll(() => jest.restoreAllMocks());

	it('starts the workflow once for a task whose callback comes twice', async () => {
		const world = new World(1, false);
		world.end(1, false, 2);
		await world.settle();
	});

	it(`starts the workflow once for each task that has ended, in ${RUNS} random sequences of callbacks, faults and kills`, async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(1, 1, 2),
				fc.boolean(),
				commands,
				async (count, hasWorker, sequence) => {
					const real = new World(count, hasWorker);
					await fc.asyncModelRun(() => ({ model: {}, real }), sequence);
					await real.settle();
				},
			),
			{ numRuns: RUNS, seed: SEED },
		);
	}, 3_600_000);
});
