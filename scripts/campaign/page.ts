import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cpus } from 'node:os';
import { versionOf } from '../host/versions';
import { commandOf, type Demand } from './options';
import type { Report } from './report';
import { notesInWords, strikesInWords, summaryTable } from './summary';

const PAGE = path.join(__dirname, '..', '..', 'docs', 'campaign.md');
const MARKS = ['<!-- campaign -->', '<!-- /campaign -->'] as const;

/** Puts the figures of a campaign between the marks of docs/campaign.md; the rest of the page stays. */
export async function writePage(demand: Demand, reports: readonly Report[]): Promise<void> {
	const page = await readFile(PAGE, 'utf8');
	const [before, rest] = page.split(MARKS[0]);
	const after = rest?.split(MARKS[1])[1];
	if (before === undefined || after === undefined)
		throw new Error(`docs/campaign.md has no place for the figures between ${MARKS.join(' and ')}`);
	await writeFile(PAGE, `${before}${MARKS[0]}\n${figures(demand, reports)}\n${MARKS[1]}${after}`);
}

function figures(demand: Demand, reports: readonly Report[]): string {
	const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
	return [
		`\`${commandOf(demand)}\``,
		'',
		[
			`Seed ${demand.seed}, ${new Date().toISOString().slice(0, 10)}, ${Math.round(seconds / 60)} minutes on ${cpus().length} cores`,
			`engine on Node ${process.versions.node}, real n8n ${versionOf('newest').n8n}.`,
		].join('; '),
		'',
		summaryTable(reports),
		'',
		`Faults that struck: ${strikesInWords(reports)}.`,
		...notesInWords(reports).flatMap((line) => ['', `${line}.`]),
	].join('\n');
}
