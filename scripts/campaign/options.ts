import { parseArgs } from 'node:util';

/** The command line options of a campaign. */
export interface CampaignOptions {
	seed: number;
	/** Tasks through n8n's engine. */
	tasks: number;
	/** Rows through a real n8n; 0 skips that phase. */
	host: number;
	/** Random bodies for each model, by panel and by JSON; 0 skips that phase. */
	bodies: number;
	/** Whether docs/campaign.md is written. */
	docs: boolean;
}

export const USAGE =
	'Usage: npm run campaign -- [--seed 7] [--tasks 5000] [--host 300] [--bodies 60] [--no-docs]';

export function parseOptions(args: string[]): CampaignOptions {
	const number = (byDefault: number) => ({ type: 'string' as const, default: String(byDefault) });
	const { values } = parseArgs({
		args,
		options: {
			seed: number(7),
			tasks: number(5_000),
			host: number(300),
			bodies: number(60),
			'no-docs': { type: 'boolean', default: false },
		},
	});
	const [seed, tasks, host, bodies] = [values.seed, values.tasks, values.host, values.bodies].map(
		Number,
	) as [number, number, number, number];
	if (![seed, tasks, host, bodies].every((value) => Number.isInteger(value) && value >= 0))
		throw new Error(USAGE);
	return { seed, tasks, host, bodies, docs: !values['no-docs'] };
}

export const formatCommand = ({ seed, tasks, host, bodies }: CampaignOptions): string =>
	`npm run campaign -- --seed ${seed} --tasks ${tasks} --host ${host} --bodies ${bodies}`;
