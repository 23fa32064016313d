import type { IDataObject, IExecuteFunctions, NodeOperationError } from 'n8n-workflow';
import { task } from '../../../nodes/GenerationGateway/actions/task';
import { submit } from '../../../nodes/GenerationGateway/actions/task/submit.operation';
import { route } from '../../../nodes/GenerationGateway/router';
import { restartProcess } from '../../support/restartProcess';
import type { VirtualClock } from '../../support/virtualClock';
import type { SimulatedGateway } from './simulatedGateway';

/** How the node is set. */
export interface NodeSettings {
	model: string;
	rows: number;
	/** A row's prompt is another one each time. */
	isRandom: boolean;
	/** `none`; `row`: a key of each row; `shared`: two rows have one key. */
	ownKey: 'none' | 'row' | 'shared';
	fallback?: string;
	wait: 'poll' | 'none';
	/** Times the listed price of one task; undefined for no limit. */
	perExecution?: number;
	perItem?: number;
	perDay?: number;
	/** Seconds. */
	maxWait: number;
	/** Tries of Retry On Fail, the first included. */
	tries: number;
	onError: 'continue' | 'stop';
}

/** A node that makes nothing. */
const READER: NodeSettings = {
	model: 'imgn-4.0',
	rows: 1,
	isRandom: false,
	ownKey: 'none',
	wait: 'none',
	maxWait: 60,
	tries: 1,
	onError: 'continue',
};

/** What n8n stores of an execution. */
export interface Execution {
	id: string;
	/** IDs of the execution and of those that it retries. */
	chain: string[];
	isRetry: boolean;
	/** That of the first execution. */
	resumeToken: string;
	settings: NodeSettings;
	customData: Map<string, string>;
	context: IDataObject;
	/** Of a loop, from 0. */
	pass: number;
	/** The rows have moved up by so many places. */
	moved: number;
	/** Runs of the node that n8n makes up after a crash. */
	recoveredRuns: number;
	items: IDataObject[];
	/** What the node ended with, as n8n shows it; undefined where it gave items. */
	error?: string;
	isStopped: boolean;
	stoppedAt: number;
	/** At the stop, the gateway answered the calls that cancel. */
	canCancel: boolean;
	/** What only the process knew is lost. */
	wasKilled: boolean;
	isOver: boolean;
}

/** What is no failure of the simulated gateway is a defect. */
function expected(json: IDataObject): IDataObject {
	if ((json.details as IDataObject | undefined)?.code === 'unexpected')
		throw new Error(String(json.error));
	return json;
}

/** n8n as far as the node sees it: executions with their stored data, tries, stops and kills. */
export class SimulatedN8n {
	readonly executions: Execution[] = [];
	readonly log: string[] = [];
	/** Those that ran last. */
	latest: readonly Execution[] = [];
	/** Those that ran beside another one. */
	readonly accompanied = new Set<Execution>();
	process = 0;
	private random = 0;

	constructor(
		private readonly clock: VirtualClock,
		private readonly gateway: SimulatedGateway,
		/** Usd of the listed price of one task. */
		private readonly priceUsd: (model: string) => number,
	) {}

	start(settings: NodeSettings): Execution {
		const execution = this.create(String(this.executions.length + 1), settings);
		this.executions.push(execution);
		return execution;
	}

	private create(id: string, settings: NodeSettings): Execution {
		return {
			id,
			chain: [id],
			isRetry: false,
			resumeToken: `token-${id}`,
			settings,
			customData: new Map(),
			context: {},
			pass: 0,
			moved: 0,
			recoveredRuns: 0,
			items: [],
			isStopped: false,
			stoppedAt: 0,
			canCancel: false,
			wasKilled: false,
			isOver: false,
		};
	}

	/** Retry in the list of executions: a new one with what the old one has stored. `moves`: where earlier nodes run again. */
	retry(failed: Execution, moves = false): Execution {
		const execution = this.start(failed.settings);
		// After a kill, nobody knows which rows a fallback model has made.
		const isNew = failed.wasKilled && failed.settings.fallback !== undefined;
		execution.chain = isNew ? [execution.id] : [...failed.chain, execution.id];
		execution.isRetry = true;
		execution.resumeToken = failed.resumeToken;
		// Of an execution that was killed, n8n has stored nothing else.
		execution.customData = new Map(failed.wasKilled ? [] : failed.customData);
		execution.context = failed.wasKilled ? {} : structuredClone(failed.context);
		execution.moved = failed.moved + Number(moves && failed.wasKilled);
		execution.pass = failed.wasKilled ? 0 : failed.pass;
		execution.recoveredRuns = failed.wasKilled ? 1 : failed.recoveredRuns;
		return execution;
	}

	kill(): void {
		this.clock.clear();
		this.restart();
	}

	restart(): void {
		this.process += 1;
		restartProcess();
	}

	/** Runs the node in executions at once. The user stops the last one; a kill ends them all. */
	async run(
		executions: readonly Execution[],
		{ stopAfterMs, killAfterMs }: { stopAfterMs?: number; killAfterMs?: number } = {},
	): Promise<void> {
		this.latest = executions;
		if (executions.length > 1) for (const one of executions) this.accompanied.add(one);
		const [user, nobody] = [new AbortController(), new AbortController()];
		const last = executions.at(-1)!;
		if (stopAfterMs !== undefined)
			this.clock.after(stopAfterMs, () => {
				last.stoppedAt = this.clock.now();
				last.canCancel = this.gateway.isAnswering(executions.length === 1);
				user.abort();
			});
		const killed = new Promise<'killed'>((resolve) => {
			if (killAfterMs !== undefined) this.clock.after(killAfterMs, () => resolve('killed'));
		});
		const ending = executions.map(
			async (execution) =>
				await this.execute(execution, execution === last ? user : nobody, killed),
		);
		await this.clock.run(Promise.all(ending));
		if (executions.some(({ wasKilled }) => wasKilled)) this.kill();
		// What goes on in the background after a stop.
		else await this.clock.run(this.clock.sleep(300_000));
	}

	/** Runs the node again while it, or its first item, has failed and tries are left, as n8n does. */
	private async execute(
		execution: Execution,
		user: AbortController,
		killed: Promise<'killed'>,
	): Promise<void> {
		const before = execution.items;
		for (let attempt = 1; attempt <= execution.settings.tries; attempt += 1) {
			const context = this.createContext(execution, user.signal);
			const ended = route(context, submit as never).then(
				([items]) => ({ items: items!.map(({ json }) => expected(json)), error: undefined }),
				(error: NodeOperationError) => ({ items: [], error: this.describe(error, execution) }),
			);
			const end = await Promise.race([ended, killed]);
			execution.wasKilled = end === 'killed';
			execution.isOver = false;
			if (end === 'killed') return;
			execution.items = [...before, ...end.items];
			execution.error = end.error;
			execution.isStopped = user.signal.aborted;
			const hasFailed = end.error !== undefined || 'error' in (end.items[0] ?? {});
			if (!hasFailed || execution.isStopped) break;
		}
		execution.isOver = true;
	}

	/** The error that ends the node. Throws it where the node must not end like this. */
	private describe(error: NodeOperationError, { settings }: Execution): string {
		const { message, description, context } = error;
		const { code = 'unexpected' } = (context?.details ?? {}) as { code?: string };
		if (settings.onError === 'continue' || code === 'unexpected') throw error;
		return JSON.stringify([message, description, context]);
	}

	/** Another workflow reads tasks. */
	async read(taskIds: readonly string[]): Promise<void> {
		const execution = this.create(`reader ${this.log.length}`, { ...READER, rows: taskIds.length });
		const node = this.createContext(execution, new AbortController().signal);
		const parameters = (name: string, row: number, fallback?: unknown) =>
			name === 'taskId' ? taskIds[row] : fallback;
		const reader = { ...node, getNodeParameter: parameters } as IExecuteFunctions;
		await this.clock.run(route(reader, task.get!.operation));
	}

	private createContext(execution: Execution, signal: AbortSignal): IExecuteFunctions {
		const { settings, id, customData, pass, recoveredRuns } = execution;
		const resumeUrl = `https://n8n.example.com/${id}?signature=${execution.resumeToken}`;
		const { gateway, process } = this;
		const isRunning = () => process === this.process;
		const parameters = (row: number): IDataObject => this.parametersOf(execution, row);
		const note = (message: string) => void this.log.push(message);
		return {
			getInputData: () => Array.from({ length: settings.rows }, () => ({ json: {} })),
			getNodeParameter: (name: string, row: number, fallback?: unknown) =>
				parameters(row)[name] ?? fallback,
			getNode: () => ({
				id: 'node',
				name: 'Gateway',
				typeVersion: 1,
				parameters: {},
				type: 'generationGateway',
				retryOnFail: settings.tries > 1,
			}),
			getExecutionId: () => id,
			getInstanceId: () => 'instance',
			getWorkflow: () => ({ id: 'workflow' }),
			getWorkflowDataProxy: () => ({
				$runIndex: recoveredRuns + pass,
				$execution: { customData, resumeUrl },
			}),
			getMode: () => (execution.isRetry ? 'retry' : 'trigger'),
			getContext: () => execution.context,
			getWorkflowStaticData: () => ({}),
			getCredentials: async () => ({ baseUrl: 'https://gateway.example.com', apiKey: 'key' }),
			getExecutionCancelSignal: () => signal,
			continueOnFail: () => settings.onError === 'continue',
			addExecutionHints: () => undefined,
			logger: { info: note, warn: note, debug: () => undefined, error: note },
			helpers: {
				/** Nobody hears the reply to a request that was given up. */
				async httpRequestWithAuthentication(
					this: IExecuteFunctions,
					_name: string,
					request: never,
				) {
					const isGivenUp = () => this.getExecutionCancelSignal()?.aborted === true;
					return await gateway.send(request, id, () => isRunning() && !isGivenUp());
				},
			},
		} as unknown as IExecuteFunctions;
	}

	private parametersOf({ settings, pass, moved }: Execution, index: number): IDataObject {
		const row = (index + moved) % settings.rows;
		const { model, isRandom, ownKey, fallback, perExecution, perItem, perDay, wait } = settings;
		const of = ownKey === 'shared' ? row % 2 : row;
		const prompt = `row ${pass}.${of}${isRandom ? ` ${(this.random += 1)}` : ''}`;
		const usd = (times: number | undefined) =>
			times === undefined ? undefined : Number((times * this.priceUsd(model)).toFixed(6));
		const options = {
			timeout: settings.maxWait,
			unknownPrice: 'send',
			...(ownKey !== 'none' && { idempotencyKey: `key ${pass}.${of}` }),
			...(fallback && { fallbackModels: fallback }),
			...(perExecution !== undefined && { maximumRunCost: usd(perExecution) }),
			...(perItem !== undefined && { maximumCost: usd(perItem) }),
			...(perDay !== undefined && { maximumDailyCost: usd(perDay) }),
		};
		return { model, parameters: { prompt }, wait, options };
	}
}
