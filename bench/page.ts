import type { Machine } from './machine';
import { isReached, type Records, type Table, type Target } from './result';

/** What the page says before the figures. */
const OPENING = `# Benchmarks

Measured against what a user would pick instead, in one real n8n, on the sandbox gateway, contenders in turn. \`npm run bench\` takes all of it again and writes this page, its pictures and [benchmarks.json](benchmarks.json); \`npm run bench -- batch weight\` takes only those two. Times are medians where more than one round is run. The sandbox answers at once and loses nothing unless a measure says otherwise: the figures are about the nodes, not about a service. Memory is read from Linux (VmHWM).`;

/** The page that is written from the records. */
export function formatPage({ measures }: Records): string {
	const parts = measures.map(({ name, title, description, tables, targets, plots, taken }) =>
		[
			`## ${title}`,
			...description,
			...tables.map(formatTable),
			...plots.map(({ name: plot, title: what }) => `![${what}](images/bench-${plot}.svg)`),
			formatTable({ columns: ['Wanted', 'Found', 'Bound', ''], rows: targets.map(formatTarget) }),
			`\`npm run bench -- ${name}\`, ${formatMachine(taken)}.`,
		].join('\n\n'),
	);
	const reached = measures.flatMap(({ targets }) => targets);
	const count = `${reached.filter(isReached).length} of ${reached.length} wanted figures are reached.`;
	return `${[OPENING, count, ...parts].join('\n\n')}\n`;
}

const formatMachine = ({ day, cores, processor, memoryGb, system, node, n8n, commit }: Machine) =>
	`${day}, commit ${commit}: ${cores} cores (${processor}), ${memoryGb} GB, ${system}, Node ${node}, n8n ${n8n}`;

const formatBound = ({ most, least, unit }: Target) =>
	most === undefined ? `at least ${least} ${unit}` : `at most ${most} ${unit}`;

const formatTarget = (target: Target): string[] => [
	target.description,
	`${target.value} ${target.unit}`,
	formatBound(target),
	isReached(target) ? 'reached' : '**not reached**',
];

export const formatOutcome = (target: Target): string =>
	`${isReached(target) ? 'reached    ' : 'NOT REACHED'} ${target.description}: ${target.value} ${target.unit} (${formatBound(target)})`;

export function formatTable({ columns, rows }: Table): string {
	const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
	return [line(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
