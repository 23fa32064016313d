import { countOf, type Findings } from './audit';
import { struck, violations, type Report } from './report';

const percent = (part: number, whole: number): string =>
	whole ? `${((100 * part) / whole).toFixed(1)} %` : '-';

/** What each count is called, in the order of the table. */
const FOUND: Record<keyof Findings, string> = {
	lost: 'Tasks lost',
	twice: 'Tasks billed twice',
	missing: 'Results missing',
	untrue: 'Items that contradict the ledger',
	forged: 'Runs started by forged callbacks',
	leaked: 'Keys leaked in an output or a log',
};

type Line = [label: string, ...cells: (string | number)[]];

/** The table of a campaign, one column for each phase, in Markdown. */
export function summaryTable(reports: readonly Report[]): string {
	const each = (cell: (report: Report) => string | number) => reports.map(cell);
	/** A count of what a phase does not do says nothing. */
	const where = (does: (report: Report) => unknown, cell: (report: Report) => string | number) =>
		each((report) => (does(report) ? cell(report) : '-'));
	const lines: Line[] = [
		['', ...each(({ name }) => name)],
		['', ...each(() => '')],
		['Rows asked for', ...each(({ rows }) => rows)],
		['Tasks at the gateway', ...each(({ tasks }) => tasks)],
		['Calls', ...each(({ calls }) => calls)],
		[
			'Calls struck by a fault',
			...where(struck, (report) => `${struck(report)} (${percent(struck(report), report.calls)})`),
		],
		['Rows that took more than one run', ...each(({ again }) => again)],
		[
			'Forged callbacks sent',
			...where(
				({ forgeries }) => forgeries,
				({ forgeries }) => forgeries,
			),
		],
		...Object.entries(FOUND).map(([finding, label]): Line => [
			`**${label}**`,
			...each(({ findings }) => findings[finding as keyof Findings].length),
		]),
		[
			'**Runs that crashed, hung or said nothing**',
			...where(
				({ stuck }) => stuck,
				({ stuck = [] }) => stuck.length,
			),
		],
		['Seconds', ...each(({ seconds }) => Math.round(seconds))],
	];
	return lines
		.map((cells, at) =>
			at === 1
				? `|${cells.map((_, column) => (column ? '---:' : '---')).join('|')}|`
				: `| ${cells.join(' | ')} |`,
		)
		.join('\n');
}

/** How often each kind of fault struck, over all phases. */
export function strikesInWords(reports: readonly Report[]): string {
	const all: Record<string, number> = {};
	for (const { strikes } of reports)
		for (const [kind, count] of Object.entries(strikes)) all[kind] = (all[kind] ?? 0) + count;
	return Object.entries(all)
		.sort(([, a], [, b]) => b - a)
		.map(([kind, count]) => `${kind} ${count}`)
		.join(', ');
}

/** What else a phase tells, a line each. */
export const notesInWords = (reports: readonly Report[]): string[] =>
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
export function offences(reports: readonly Report[], most = 5): string[] {
	return reports
		.filter(violations)
		.flatMap(({ name, findings, stuck = [] }) => [
			`${name}: ${countOf(findings) + stuck.length} found`,
			...Object.entries(findings).flatMap(([kind, rows]: [string, string[]]) =>
				rows.slice(0, most).map((row) => `  ${kind}: ${row}`),
			),
			...stuck.slice(0, most).map((run) => `  stuck: ${run}`),
		]);
}
