import seedrandom from 'seedrandom';
import type { IExecuteFunctions } from 'n8n-workflow';
import type * as Seen from '../../nodes/GenerationGatewayTrigger/seen';
import { createDeduplicator } from '../../scripts/engine/deduplicator';

const DAYS = 30;
const A_DAY = 667;
/** Callbacks that one process works on at the same time. */
const AT_ONCE = 5;
/** A callback that comes more than a day after the end of its task starts nothing (spec section 1.7). */
const LATEST_REPEAT = A_DAY - AT_ONCE;
const REPEATED = 0.4;

/** A process that has just been started. */
function startProcess(): typeof Seen {
	let started!: typeof Seen;
	jest.isolateModules(() => {
		started = jest.requireActual<typeof Seen>('../../nodes/GenerationGatewayTrigger/seen');
	});
	return started;
}

/** What n8n keeps, for all processes. */
const table = createDeduplicator();
let lastExecution = 0;

/** A run that a callback has started, of one of two triggers of a workflow. */
function createRun(trigger: string): IExecuteFunctions {
	const executionId = String((lastExecution += 1));
	const context = { workflow: { id: 'workflow' }, node: { id: trigger } };
	return {
		getExecutionId: () => executionId,
		getWorkflow: () => context.workflow,
		getNode: () => context.node,
		logger: { warn: jest.fn() },
		helpers: {
			checkProcessedAndRecord: async (items: string[], scope: 'node', options: never) =>
				await table.checkProcessedAndRecord(items, scope, context as never, options),
		},
	} as unknown as IExecuteFunctions;
}

it('a month of 20,000 callbacks to two triggers in two processes starts one run for each task', async () => {
	const random = seedrandom('month');
	const starts = new Map<string, number>();
	const callBack = async ({ isSeen, see, keepFirst }: typeof Seen, task_id: string) => {
		const trigger = `trigger-${Number(task_id.split('_')[1]) % 2}`;
		if (isSeen(trigger, task_id) || !see(trigger, task_id)) return;
		const items = [{ json: { task_id, status: 'completed' } }];
		const kept = await keepFirst(createRun(trigger), items);
		if (kept.length) starts.set(task_id, (starts.get(task_id) ?? 0) + 1);
	};

	/** By the number of the callback at which they come. */
	const repeats = new Map<number, string[]>();
	let processes: (typeof Seen)[] = [];
	for (let at = 0; at < DAYS * A_DAY; at += AT_ONCE) {
		if (at % A_DAY < AT_ONCE) processes = [startProcess(), startProcess()];
		const firsts = Array.from({ length: AT_ONCE }, (_, more) => `task_${at + more}`);
		for (const id of firsts) {
			if (random() > REPEATED) continue;
			const later = at + AT_ONCE * Math.ceil((random() * LATEST_REPEAT) / AT_ONCE);
			repeats.set(later, [...(repeats.get(later) ?? []), id]);
		}
		const called = [...firsts, ...(repeats.get(at) ?? [])];
		const process = processes[random() < 0.5 ? 0 : 1]!;
		await Promise.all(called.map(async (id) => await callBack(process, id)));
	}

	expect(starts.size).toBeGreaterThanOrEqual(20_000);
	expect([...starts].filter(([, count]) => count !== 1)).toEqual([]);
});
