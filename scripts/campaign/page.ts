import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cpus } from 'node:os';
import { getVersion } from '../host/versions';
import { formatCommand, type CampaignOptions } from './options';
import type { Report } from './report';
import { formatNotes, formatFaults, formatSummary } from './summary';

const PAGE = path.join(__dirname, '..', '..', 'docs', 'campaign.md');
const MARKERS = ['<!-- campaign -->', '<!-- /campaign -->'] as const;

/** Puts the figures of a campaign between the marks of docs/campaign.md; the rest of the page stays. */
export async function writePage(
	options: CampaignOptions,
	reports: readonly Report[],
): Promise<void> {
	const page = await readFile(PAGE, 'utf8');
	const [before, rest] = page.split(MARKERS[0]);
	const after = rest?.split(MARKERS[1])[1];
	if (before === undefined || after === undefined)
		throw new Error(
			`docs/campaign.md has no place for the figures between ${MARKERS.join(' and ')}`,
		);
	await writeFile(
		PAGE,
		`${before}${MARKERS[0]}\n${formatFigures(options, reports)}\n${MARKERS[1]}${after}`,
	);
}

function formatFigures(options: CampaignOptions, reports: readonly Report[]): string {
	const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
	return [
		`\`${formatCommand(options)}\``,
		'',
		[
			`Seed ${options.seed}, ${new Date().toISOString().slice(0, 10)}, ${Math.round(seconds / 60)} minutes on ${cpus().length} cores`,
			`engine on Node ${process.versions.node}, real n8n ${getVersion('newest').n8n}.`,
		].join('; '),
		'',
		formatSummary(reports),
		'',
		`Injected faults: ${formatFaults(reports)}.`,
		...formatNotes(reports).flatMap((line) => ['', `${line}.`]),
	].join('\n');
}
