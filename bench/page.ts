import type { Machine } from './machine';
import { isReached, type Records, type Result, type Table, type Target } from './result';

/** What the page says before the figures. */
const OPENING = `# Benchmarks

Measured against what a user would pick instead, in one real n8n, on the sandbox gateway, contenders in turn. \`npm run bench\` takes all of it again and writes this page, its pictures and [benchmarks.json](benchmarks.json); \`npm run bench -- batch weight\` takes only those two. Times are medians where more than one round is run. The sandbox answers at once and loses nothing unless a measure says otherwise: the figures are about the nodes, not about a service. Memory is read from Linux (VmHWM).`;

const IN_DEPTH = `# In depth

For whoever maintains the package.`;

/** The page that is written from the records: a list of contents, the measures, and behind them those named by `inDepth`. */
export function formatPage({ measures }: Records, inDepth: readonly string[]): string {
	const isInDepth = ({ name }: Result) => inDepth.includes(name);
	const reached = measures.flatMap(({ targets }) => targets);
	const count = `${reached.filter(isReached).length} of ${reached.length} wanted figures are reached.`;
	const first = measures.filter((measure) => !isInDepth(measure));
	const contents = first.map(({ title }) => `- [${title}](#${toAnchor(title)})`).join('\n');
	const rest = measures.filter(isInDepth);
	const parts = [...first.map(formatMeasure), IN_DEPTH, ...rest.map(formatMeasure)];
	return `${[OPENING, count, contents, ...parts].join('\n\n')}\n`;
}

/** As GitHub makes it of a heading. */
const toAnchor = (title: string) =>
	title
		.toLowerCase()
		.replace(/[^\w\s-]/g, '')
		.replace(/\s/g, '-');

const formatMeasure = ({
	name,
	title,
	description,
	tables,
	targets,
	plots,
	taken,
}: Records['measures'][number]) =>
	[
		`## ${title}`,
		...description,
		...tables.map(formatTable),
		...plots.map(({ name: plot, title: what }) => `![${what}](images/bench-${plot}.svg)`),
		formatTable({ columns: ['Wanted', 'Found', 'Bound', ''], rows: targets.map(formatTarget) }),
		`\`npm run bench -- ${name}\`, ${formatMachine(taken)}.`,
	].join('\n\n');

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
