import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
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
	hasFallback: boolean;
	wait: 'poll' | 'none';
	/** Times the listed price of one task; undefined for no limit. */
	perExecution?: number;
	perItem?: number;
	/** Seconds. */
	maxWait: number;
	/** Tries of Retry On Fail, the first included. */
	tries: number;
}

/** What n8n stores of an execution. */
export interface Execution {
	id: string;
	/** IDs of the execution and of those that it retries. */
	chain: string[];
	settings: NodeSettings;
	customData: Map<string, string>;
	context: IDataObject;
	runIndex: number;
	items: IDataObject[];
	isStopped: boolean;
	stoppedAt: number;
	/** What only the process knew is lost. */
	wasKilled: boolean;
	isOver: boolean;
}

/** n8n as far as the node sees it: executions with their stored data, tries, stops and kills. */
export class SimulatedN8n {
	readonly executions: Execution[] = [];
	readonly log: string[] = [];
	private process = 0;
	private random = 0;

	constructor(
		private readonly clock: VirtualClock,
		private readonly gateway: SimulatedGateway,
		/** Usd of the listed price of one task. */
		private readonly priceUsd: (model: string) => number,
	) {}

	start(settings: NodeSettings): Execution {
		const id = String(this.executions.length + 1);
		const execution: Execution = {
			...{ id, chain: [id], settings, customData: new Map(), context: {}, runIndex: 0 },
			...{ items: [], isStopped: false, stoppedAt: 0, wasKilled: false, isOver: false },
		};
		this.executions.push(execution);
		return execution;
	}

	/** Retry in the list of executions: a new one with what the old one has stored. */
	retry(failed: Execution): Execution {
		const execution = this.start(failed.settings);
		execution.chain = failed.wasKilled ? [execution.id] : [...failed.chain, execution.id];
		// Of an execution that was killed, n8n has stored nothing.
		execution.customData = new Map(failed.wasKilled ? [] : failed.customData);
		execution.context = failed.wasKilled ? {} : structuredClone(failed.context);
		execution.runIndex = failed.runIndex;
		return execution;
	}

	kill(): void {
		this.process += 1;
		this.clock.clear();
		restartProcess();
	}

	/** Runs the node in an execution, again and again while an item fails and tries are left. */
	async run(
		execution: Execution,
		{ stopAfterMs, killAfterMs }: { stopAfterMs?: number; killAfterMs?: number } = {},
	): Promise<void> {
		const user = new AbortController();
		if (stopAfterMs !== undefined)
			this.clock.after(stopAfterMs, () => {
				execution.stoppedAt = this.clock.now();
				user.abort();
			});
		const killed = new Promise<'killed'>((resolve) => {
			if (killAfterMs !== undefined) this.clock.after(killAfterMs, () => resolve('killed'));
		});
		const before = execution.items;
		for (let attempt = 1; attempt <= execution.settings.tries; attempt += 1) {
			const context = this.createContext(execution, user.signal);
			const end = await this.clock.run(Promise.race([route(context, submit as never), killed]));
			if (end === 'killed') {
				execution.wasKilled = true;
				execution.isOver = false;
				this.kill();
				return;
			}
			const items = end[0]!.map(({ json }) => json);
			execution.items = [...before, ...items];
			execution.isStopped = user.signal.aborted;
			const hasFailed = items.some((json) => 'error' in json);
			if (!hasFailed || execution.isStopped) break;
		}
		execution.isOver = true;
		// What goes on in the background after a stop.
		await this.clock.run(this.clock.sleep(300_000));
	}

	private createContext(execution: Execution, signal: AbortSignal): IExecuteFunctions {
		const { settings, id, customData, runIndex } = execution;
		const process = this.process;
		const { gateway } = this;
		const parameters = (row: number): IDataObject => this.parametersOf(execution, row);
		const note = (message: string) => void this.log.push(message);
		return {
			getInputData: () => Array.from({ length: settings.rows }, () => ({ json: {} })),
			getNodeParameter: (name: string, row: number, fallback?: unknown) =>
				parameters(row)[name] ?? fallback,
			getNode: () => ({
				...{ id: 'node', name: 'Gateway', typeVersion: 1, parameters: {} },
				...{ type: 'generationGateway', retryOnFail: settings.tries > 1 },
			}),
			getExecutionId: () => id,
			getInstanceId: () => 'instance',
			getWorkflow: () => ({ id: 'workflow' }),
			getWorkflowDataProxy: () => ({ $runIndex: runIndex, $execution: { customData } }),
			getContext: () => execution.context,
			getWorkflowStaticData: () => ({}),
			getCredentials: async () => ({ baseUrl: 'https://gateway.example.com', apiKey: 'key' }),
			getExecutionCancelSignal: () => signal,
			continueOnFail: () => true,
			addExecutionHints: () => undefined,
			logger: { info: note, warn: note, debug: () => undefined, error: note },
			helpers: {
				httpRequestWithAuthentication: async (_name: string, request: never) =>
					await gateway.send(request, id, () => process === this.process),
			},
		} as unknown as IExecuteFunctions;
	}

	private parametersOf({ settings, runIndex }: Execution, row: number): IDataObject {
		const { model, isRandom, ownKey, hasFallback, perExecution, perItem, wait } = settings;
		const of = ownKey === 'shared' ? row % 2 : row;
		const prompt = `row ${runIndex}.${of}${isRandom ? ` ${(this.random += 1)}` : ''}`;
		const usd = (times: number | undefined) =>
			times === undefined ? undefined : Number((times * this.priceUsd(model)).toFixed(6));
		const options = {
			timeout: settings.maxWait,
			unknownPrice: 'send',
			...(ownKey !== 'none' && { idempotencyKey: `key ${runIndex}.${of}` }),
			...(hasFallback && { fallbackModels: 'qwn-image-2.0' }),
			...(perExecution !== undefined && { maximumRunCost: usd(perExecution) }),
			...(perItem !== undefined && { maximumCost: usd(perItem) }),
		};
		return { model, parameters: { prompt }, wait, options };
	}
}
