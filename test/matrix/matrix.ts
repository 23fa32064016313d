import { ERROR_CODES } from '../../nodes/gateway/errorCodes';
import type { CallRow } from './calls';
import { CellRunner, type ClockFault, type Observation } from './cell';
import { FAULTS, type Fault } from './faults';
import { expectedOutcome, LONGEST_MINUTES, type End } from './outcomes';
import { MOMENTS, type Moment } from './workflow';

/** What a stopped run may take to end. */
const STOP_MINUTES = 0.02;
/** A callback has no user who stops it, and no node that is tried again. */
const CALLBACK_MOMENTS: readonly Moment[] = ['once', 'after retries', 'always'];

const isCallback = ({ kind }: CallRow) => kind === 'callback' || kind === 'resume';

export const momentsOf = (row: CallRow): readonly Moment[] =>
	isCallback(row) ? CALLBACK_MOMENTS : MOMENTS;

const nameOf = (row: CallRow, fault: Fault, moment: Moment): string =>
	`${row.name} | ${fault.name} | ${moment}`;

/** How the item is to end; undefined where the run is stopped before. */
function expectedEnd(row: CallRow, fault: Fault, moment: Moment): End | undefined {
	const { once, always } = expectedOutcome(row.kind, fault);
	const isDeleted = row.kind === 'delete' && isWorked(fault);
	// The execution is run again, or the node is, and the gateway is well by then.
	const again = isDeleted ? 'not_found' : 'done';
	const ends: Record<Moment, End | undefined> = {
		once,
		'after retries': once,
		always,
		stop: undefined,
		kill: again,
		// A task that is pending has not failed.
		'retry on fail': ['done', 'pending'].includes(once) ? once : again,
	};
	return ends[moment];
}

const isWorked = ({ connection, body, replacement, label }: Fault): boolean =>
	connection?.isWorked ?? Boolean(body ?? replacement ?? label);

/** How many answers the gateway may have produced: one, and one more where a repeat cannot be told from a first try. */
function mostAnswers(fault: Fault, moment: Moment): number {
	return isWorked(fault) && (moment === 'kill' || moment === 'retry on fail') ? 2 : 1;
}

/** Everything in which a cell is not as it is to be. */
function findViolations(
	row: CallRow,
	fault: Fault,
	moment: Moment,
	seen: Observation,
	key: string,
): string[] {
	const { details, requestsAfter } = seen;
	const end = expectedEnd(row, fault, moment);
	const isStop = moment === 'stop';
	const { onceMinutes } = expectedOutcome(row.kind, fault);
	const isOnce = moment === 'once' || moment === 'after retries';
	const longest = isStop
		? STOP_MINUTES
		: ((isOnce ? onceMinutes : undefined) ?? LONGEST_MINUTES[row.kind]);
	const hasItem = !isStop && !['nothing', 'again'].includes(end ?? '');
	const isOnGateway = ({ path }: { path: string }) => /^\/(v1|files)\//.test(path);
	const keys = new Set(seen.requests.map((request) => request.key));
	const isBilled = row.paid === 'task' ? seen.charged > 0 : seen.answers > 0;
	const problems: Record<string, boolean> = {
		[`ends as ${seen.end}, not as ${end}`]: end !== undefined && seen.end !== end,
		[`gives ${seen.itemCount} items`]: hasItem && seen.itemCount !== 1,
		[`takes ${seen.minutes.toFixed(2)} of ${longest} minutes`]: seen.minutes > longest,
		[`calls ${requestsAfter.length} times after its end`]:
			requestsAfter.some(isOnGateway) && !(isStop && row.canCancel) && !isCallback(row),
		[`has ${seen.charged} tasks charged`]: row.paid === 'task' && seen.charged > 1,
		'leaves a task that was to be cancelled':
			seen.isStopped && row.canCancel === true && seen.charged > 0,
		[`has ${seen.answers} answers`]:
			row.paid === 'answer' && seen.answers > mostAnswers(fault, moment),
		'says that nothing was billed': details.billed === 0 && row.paid !== undefined && isBilled,
		[`sends ${keys.size} keys for one task`]: row.kind === 'submit' && keys.size > 1,
		'sends no key': row.kind === 'submit' && keys.has(undefined),
		[`has the unknown code ${String(details.code)}`]:
			details.code !== undefined && !(String(details.code) in ERROR_CODES),
		'does not name its task': isAboutTask(row) && 'code' in details && !details.task_id,
		'does not say whether to retry': 'code' in details && typeof details.retry !== 'boolean',
		'shows the key': seen.output.includes(key),
	};
	return Object.entries(problems)
		.filter(([, isProblem]) => isProblem)
		.map(([problem]) => problem);
}

/** Whether the item names a task. A call about all tasks, or none, has no ID to give. */
const isAboutTask = ({ prepared, parameters }: CallRow): boolean =>
	/task/.test(prepared ?? '') && JSON.stringify(parameters('its-id')).includes('its-id');

interface Cell {
	row: CallRow;
	fault: Fault;
	moment: Moment;
	clock?: ClockFault;
}

/** A part of the name of the cells to run; all of them without one. */
const { MATRIX = '' } = process.env;

/** A test for each call and moment, over all faults. A cell that fails says how to run it alone. */
export function describeMatrix(rows: readonly CallRow[]): void {
	let runner: CellRunner;
	beforeAll(async () => (runner = await CellRunner.create()));
	afterAll(async () => await runner.close());

	describeChoice(rows);
	for (const row of rows) {
		for (const moment of momentsOf(row)) {
			const cells = FAULTS.map((fault): Cell => ({ row, fault, moment }));
			runCells(`${row.name}, ${moment}`, cells, () => runner);
		}
	}
}

/** A file without a chosen cell still has a test, which Jest asks for. */
function describeChoice(rows: readonly CallRow[]): void {
	it(MATRIX ? `is about ${MATRIX}` : 'is about all cells', () =>
		expect(rows.length).toBeGreaterThan(0),
	);
}

/** For a cell that hangs. It takes a second alone, and up to five beside the other long tests. */
const CELL_TIMEOUT_MS = 20_000;

/** One test for many cells. */
function runCells(name: string, all: readonly Cell[], runner: () => CellRunner): void {
	const cells = all.filter(({ row, fault, moment }) => nameOf(row, fault, moment).includes(MATRIX));
	if (!cells.length) return;
	it(
		`${name}: ${cells.length} cells`,
		async () => {
			const failures: string[] = [];
			for (const { row, fault, moment, clock } of cells) {
				const longestMs = LONGEST_MINUTES[row.kind] * 60_000;
				const seen = await runner().run(row, fault, moment, longestMs, clock);
				const problems = findViolations(row, fault, moment, seen, runner().sandbox.key);
				const cellName = nameOf(row, fault, moment);
				const facts = JSON.stringify(seen.details);
				if (problems.length)
					failures.push(`${problems.join('; ')} ${facts}\n  MATRIX="${cellName}" npm run matrix`);
			}
			if (failures.length) throw new Error(failures.join('\n'));
		},
		cells.length * CELL_TIMEOUT_MS,
	);
}

const CLOCKS: Record<string, ClockFault> = {
	'the clock is set back a minute': { setMs: -60_000 },
	'the clock is set ahead an hour': { setMs: 3_600_000 },
	'the gateway is five minutes behind': { gatewayMs: -300_000 },
	'the gateway is five minutes ahead': { gatewayMs: 300_000 },
};

/**
 * Each call and each fault with each wrong clock, as pairs: every call meets every clock, every fault meets
 * every clock, and which call meets which fault differs from clock to clock.
 */
export function describeClocks(rows: readonly CallRow[]): void {
	let runner: CellRunner;
	beforeAll(async () => (runner = await CellRunner.create()));
	afterAll(async () => await runner.close());

	describeChoice(rows);
	Object.entries(CLOCKS).forEach(([name, clock], shift) => {
		const count = Math.max(rows.length, FAULTS.length);
		const cells = Array.from({ length: count }, (_, at): Cell => {
			const row = rows[(at + shift) % rows.length]!;
			return { row, fault: FAULTS[at % FAULTS.length]!, moment: 'once', clock };
		});
		runCells(name, cells, () => runner);
	});
}
