import type {
	ExecutionError,
	ExecutionStatus,
	INodeExecutionData,
	IRun,
	ITaskData,
	NodeExecutionHint,
} from 'n8n-workflow';

import { binaryDataService } from './container';
import type { Execution } from './execution';

/** What a run left behind, the way the editor shows it. */
export class EngineRun {
	constructor(
		readonly run: IRun,
		readonly execution: Execution,
	) {}

	get executionId(): string {
		return this.execution.executionId;
	}

	/** `success`, `error`, `canceled` or `waiting`. */
	get status(): ExecutionStatus {
		return this.run.status;
	}

	/** What stopped the run, as n8n stores it: a plain object with the fields of the error. */
	get error(): ExecutionError | undefined {
		return this.run.data.resultData.error;
	}

	/** When a waiting run goes on by itself. */
	get waitTill(): Date | undefined {
		return this.run.waitTill ?? undefined;
	}

	/** Names of the nodes that ran, in the order they started. */
	get executed(): string[] {
		return Object.entries(this.run.data.resultData.runData)
			.flatMap(([name, runs]) => runs.map(({ executionIndex }) => ({ name, executionIndex })))
			.sort((a, b) => a.executionIndex - b.executionIndex)
			.map(({ name }) => name);
	}

	/** Items of one output of a node; empty if the node did not run or gave nothing there. */
	items(nodeName: string, output = 0, runIndex = 0): INodeExecutionData[] {
		const data = this.task(nodeName, runIndex)?.data ?? {};
		return (data.main ?? Object.values(data)[0])?.[output] ?? [];
	}

	/** The `json` of each item of one output of a node. */
	json<T = Record<string, unknown>>(nodeName: string, output = 0, runIndex = 0): T[] {
		return this.items(nodeName, output, runIndex).map((item) => item.json as T);
	}

	/** Notes that the node put on its output with `addExecutionHints`. */
	hints(nodeName: string, runIndex = 0): NodeExecutionHint[] {
		return this.task(nodeName, runIndex)?.hints ?? [];
	}

	/** The error that a node threw, also if the workflow went on after it. */
	nodeError(nodeName: string, runIndex = 0): ExecutionError | undefined {
		return this.task(nodeName, runIndex)?.error;
	}

	/** Content of a file on an item, wherever it is kept. */
	async binary(item: INodeExecutionData | undefined, field = 'data'): Promise<Buffer> {
		const file = item?.binary?.[field];
		if (file === undefined) throw new Error(`The item has no file in "${field}"`);
		return await (await binaryDataService()).getAsBuffer(file);
	}

	/** All that the engine recorded about one run of a node. */
	task(nodeName: string, runIndex = 0): ITaskData | undefined {
		return this.run.data.resultData.runData[nodeName]?.[runIndex];
	}
}
