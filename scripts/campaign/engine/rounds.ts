import { runWorkflow, type EngineOptions, type EngineRun, type WorkflowJson } from '../../engine';
import type { LeakWatch } from '../account';
import { bringHome } from '../audit';
import { endingOf, isHome } from '../rowResult';
import { AWAITED, followUp, MADE, workflowOf } from './workflows';
import type { Wave } from './batches';

const MOST_ROUNDS = 6;

export interface Rounds {
	/** Rows that something kept from coming home with the first run. */
	again: number;
	/** Runs that ended other than with `success` or `error`. */
	stuck: string[];
}

/**
 * Runs a wave, and what is still open again, as a user or a schedule would: a task that is known is
 * awaited by its ID; a row without one is sent again under its own key; and where the key is made of the
 * execution, the same execution is run again, as Retry On Fail or another worker does.
 */
export async function runToTheEnd(
	wave: Wave,
	engine: EngineOptions,
	watch: LeakWatch,
): Promise<Rounds> {
	const rounds: Rounds = { again: 0, stuck: [] };
	const note = async (
		json: WorkflowJson,
		sent: Wave['rows'],
		options: EngineOptions,
	): Promise<void> => {
		const run = await runWorkflow(json, { ...engine, ...options });
		watch.look(`run of ${wave.name}`, run.run.data);
		if (run.status !== 'success' && run.status !== 'error')
			rounds.stuck.push(`${wave.name}: ${run.status}`);
		collect(run, sent, wave.kind === 'files');
	};

	const hasOwnKeys = wave.kind !== 'derived' && wave.kind !== 'strict';
	for (let round = 1; round <= MOST_ROUNDS; round += 1) {
		const open = wave.rows.filter(({ ending }) => !isHome(ending));
		if (!open.length) break;
		if (round === 2) rounds.again = open.filter(({ ending }) => ending?.kind !== 'running').length;
		const known = open.filter(({ ending }) => ending?.taskId);
		const unknown = open.filter(({ ending }) => !ending?.taskId);
		const sent = hasOwnKeys ? unknown : wave.rows;
		if (known.length)
			await note(
				followUp(
					wave,
					known.map(({ ending }) => ending!.taskId!),
				),
				known,
				{},
			);
		if (unknown.length)
			await note(workflowOf(wave, sent), sent, hasOwnKeys ? {} : { executionId: wave.executionId });
	}
	return rounds;
}

/** Gives every row the item that is paired with it, from the last node that ran and, where that knows no task, the first. */
function collect(run: EngineRun, sent: Wave['rows'], wantsFiles: boolean): void {
	for (const name of [MADE, AWAITED])
		for (const item of run.items(name)) {
			const at = (item.pairedItem as { item: number } | undefined)?.item ?? -1;
			const row = sent[at];
			if (row) bringHome(row, endingOf(item, wantsFiles));
		}
}
