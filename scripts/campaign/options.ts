import { readNumbers, type Flags } from '../commandLine';

/** The command line options of a campaign. */
export interface CampaignOptions {
	seed: number;
	/** Tasks through n8n's engine. */
	tasks: number;
	/** Rows through a real n8n; 0 skips that phase. */
	host: number;
	/** Random bodies for each model, by panel and by JSON; 0 skips that phase. */
	bodies: number;
	/** Minutes of a soak in a real n8n; 0 skips that phase. */
	soak: number;
	/** Whether docs/campaign.md is written. */
	docs: boolean;
}

export const USAGE = `npm run campaign [-- options]
Thousands of tasks under random faults; ends with 1 on any finding.
  --seed 7       makes the same faults again
  --tasks 5000   tasks through n8n's engine
  --host 300     rows through a real n8n; 0 for none
  --bodies 60    random bodies for each model; 0 for none
  --soak 0       minutes of random faults in a real n8n, whose memory must not grow; 0 for none
  --no-docs      leave docs/campaign.md as it is
  --help         print this`;

export const OPTIONS = {
	seed: { type: 'string', default: '7' },
	tasks: { type: 'string', default: '5000' },
	host: { type: 'string', default: '300' },
	bodies: { type: 'string', default: '60' },
	soak: { type: 'string', default: '0' },
	'no-docs': { type: 'boolean', default: false },
} as const;

/** @throws UsageError for what is no number */
export function readOptions(flags: Flags<typeof OPTIONS>): CampaignOptions {
	const { 'no-docs': hasNoDocs, ...numbers } = flags;
	return { ...readNumbers(numbers, USAGE), docs: !hasNoDocs };
}

export const formatCommand = ({ seed, tasks, host, bodies, soak }: CampaignOptions): string =>
	`npm run campaign -- --seed ${seed} --tasks ${tasks} --host ${host} --bodies ${bodies}${soak ? ` --soak ${soak}` : ''}`;
