import { countFindings, type Findings } from './audit';
import { totalFaults, countViolations, type Report } from './report';

const percent = (part: number, whole: number): string =>
	whole ? `${((100 * part) / whole).toFixed(1)} %` : '-';

/** What each count is called, in the order of the table. */
const FINDING_LABELS: Record<keyof Findings, string> = {
	lostTasks: 'Tasks lost',
	billedTwice: 'Tasks billed twice',
	missingResults: 'Results missing',
	contradictions: 'Items that contradict the gateway',
	forgedRuns: 'Runs started by forged callbacks',
	leakedKeys: 'Keys leaked in an output or a log',
};

type TableRow = [label: string, ...cells: (string | number)[]];

/** The table of a campaign, one column for each phase, in Markdown. */
export function formatSummary(reports: readonly Report[]): string {
	const cells = (cell: (report: Report) => string | number) => reports.map(cell);
	/** A phase that does not do this gets a dash instead of a zero. */
	const cellsWhere = (
		does: (report: Report) => unknown,
		cell: (report: Report) => string | number,
	) => cells((report) => (does(report) ? cell(report) : '-'));
	const lines: TableRow[] = [
		['', ...cells(({ name }) => name)],
		['', ...cells(() => '')],
		['Rows requested', ...cells(({ rows }) => rows)],
		['Tasks at the gateway', ...cells(({ tasks }) => tasks)],
		['Calls', ...cells(({ calls }) => calls)],
		[
			'Calls with an injected fault',
			...cellsWhere(
				totalFaults,
				(report) => `${totalFaults(report)} (${percent(totalFaults(report), report.calls)})`,
			),
		],
		['Rows that took more than one run', ...cells(({ retriedRows }) => retriedRows)],
		[
			'Forged callbacks sent',
			...cellsWhere(
				({ forgeries }) => forgeries,
				({ forgeries }) => forgeries,
			),
		],
		...Object.entries(FINDING_LABELS).map(([finding, label]): TableRow => [
			`**${label}**`,
			...cells(({ findings }) => findings[finding as keyof Findings].length),
		]),
		[
			'**Runs that crashed, hung or returned nothing**',
			...cellsWhere(
				({ stuck }) => stuck,
				({ stuck = [] }) => stuck.length,
			),
		],
		['Seconds', ...cells(({ seconds }) => Math.round(seconds))],
	];
	return lines
		.map((cells, at) =>
			at === 1
				? `|${cells.map((_, column) => (column ? '---:' : '---')).join('|')}|`
				: `| ${cells.join(' | ')} |`,
		)
		.join('\n');
}

/** How often each kind of fault was injected, over all phases. */
export function formatFaults(reports: readonly Report[]): string {
	const all: Record<string, number> = {};
	for (const { faults } of reports)
		for (const [kind, count] of Object.entries(faults)) all[kind] = (all[kind] ?? 0) + count;
	return Object.entries(all)
		.sort(([, a], [, b]) => b - a)
		.map(([kind, count]) => `${kind} ${count}`)
		.join(', ');
}

/** Further figures of each phase, one line each. */
export const formatNotes = (reports: readonly Report[]): string[] =>
	reports.flatMap(({ name, notes }) =>
		Object.keys(notes).length
			? [
					`${name}: ${Object.entries(notes)
						.map(([what, count]) => `${what} ${count}`)
						.join(', ')}`,
				]
			: [],
	);

/** The first offending rows of each kind, a line each; empty when nothing was found. */
export function formatViolations(reports: readonly Report[], most = 5): string[] {
	return reports
		.filter(countViolations)
		.flatMap(({ name, findings, stuck = [] }) => [
			`${name}: ${countFindings(findings) + stuck.length} found`,
			...Object.entries(findings).flatMap(([kind, rows]: [string, string[]]) =>
				rows.slice(0, most).map((row) => `  ${kind}: ${row}`),
			),
			...stuck.slice(0, most).map((run) => `  stuck: ${run}`),
		]);
}
