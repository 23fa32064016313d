import { runWorkflow, type EngineOptions, type EngineRun, type WorkflowJson } from '../../engine';
import type { Sandbox, TaskRecord } from '../../../sandbox';
import type { LeakDetector } from '../account';
import { recordResult } from '../audit';
import { readRowResult, isFinal } from '../rowResult';
import { AWAIT_NODE, createAwaitWorkflow, GENERATE_NODE, createWorkflow } from './workflows';
import type { Batch } from './batches';

const MOST_ROUNDS = 12;

export interface Rounds {
	/** Rows that had no final result after the first run. */
	retriedRows: number;
	/** Runs that ended other than with `success` or `error`. */
	stuck: string[];
}

/**
 * Runs a batch, then the unfinished rows again, as a user or a schedule would: a known task is awaited by
 * its ID; a row without one is sent again under its own key; and where the key is derived from the execution,
 * the same execution is run again, as Retry On Fail or another worker does.
 */
export async function runUntilFinal(
	batch: Batch,
	engine: EngineOptions,
	watch: LeakDetector,
	sandbox: Sandbox,
	stoppedRows: Set<string>,
): Promise<Rounds> {
	const rounds: Rounds = { retriedRows: 0, stuck: [] };
	const runOnce = async (
		json: WorkflowJson,
		sent: Batch['rows'],
		options: EngineOptions,
	): Promise<void> => {
		const run = await runWorkflow(json, { ...engine, ...options });
		watch.scan(`run of ${batch.name}`, run.run.data);
		if (run.status !== 'success' && run.status !== 'error')
			rounds.stuck.push(`${batch.name}: ${run.status}`);
		recordResults(run, sent, batch.kind === 'files');
	};

	if (batch.kind === 'stopped') {
		rounds.stuck.push(...(await runAndStop(batch, engine, sandbox)));
		for (const { name } of batch.rows) stoppedRows.add(name);
	}

	const hasOwnKeys = batch.kind !== 'derived' && batch.kind !== 'strict';
	for (let round = 1; round <= MOST_ROUNDS; round += 1) {
		const open = batch.rows.filter(({ result }) => !isFinal(result));
		if (!open.length) break;
		if (round === 2)
			rounds.retriedRows = open.filter(({ result }) => result?.kind !== 'running').length;
		const known = open.filter(({ result }) => result?.taskId);
		const unknown = open.filter(({ result }) => !result?.taskId);
		const sent = hasOwnKeys ? unknown : batch.rows;
		if (known.length)
			await runOnce(
				createAwaitWorkflow(
					batch,
					known.map(({ result }) => result!.taskId!),
				),
				known,
				{},
			);
		if (unknown.length)
			await runOnce(
				createWorkflow(batch, sent, round),
				sent,
				hasOwnKeys ? {} : { executionId: batch.executionId },
			);
	}
	return rounds;
}

/** Milliseconds until the user stops a run, and those that cancelling all of its tasks may take under faults. */
const STOP_AFTER_MS = 400;
const LONGEST_CANCEL_MS = 60_000;

/** Stops a run while some of its tasks are being submitted and others awaited; names the tasks that run on. */
async function runAndStop(
	batch: Batch,
	engine: EngineOptions,
	sandbox: Sandbox,
): Promise<string[]> {
	const user = new AbortController();
	const timer = setTimeout(() => user.abort(), STOP_AFTER_MS);
	await runWorkflow(createWorkflow(batch), { ...engine, signal: user.signal });
	clearTimeout(timer);
	const names = new Set(batch.rows.map(({ name }) => name));
	const isRunning = ({ body, finished }: TaskRecord) =>
		names.has(String(body.prompt)) && finished === undefined;
	const deadline = Date.now() + LONGEST_CANCEL_MS;
	while (sandbox.tasks().some(isRunning) && Date.now() < deadline)
		await new Promise((resolve) => setTimeout(resolve, 100));
	return sandbox
		.tasks()
		.filter(isRunning)
		.map(({ task_id }) => `${batch.name}: ${task_id} runs on after the stop`);
}

/** Gives every row the item that is paired with it, from the last node that ran and, where that knows no task, the first. */
function recordResults(run: EngineRun, sent: Batch['rows'], wantsFiles: boolean): void {
	for (const name of [GENERATE_NODE, AWAIT_NODE])
		for (const item of run.items(name)) {
			const at = (item.pairedItem as { item: number } | undefined)?.item ?? -1;
			const row = sent[at];
			if (row) recordResult(row, readRowResult(item, wantsFiles));
		}
}
