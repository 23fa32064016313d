import type { Sandbox } from '../../sandbox';
import { countOf, type Findings } from './audit';

/** What one phase of the campaign came to. */
export interface Report {
	name: string;
	rows: number;
	tasks: number;
	/** Requests to the gateway and to the host of the results. */
	calls: number;
	/** How many of them met each kind of fault. */
	strikes: Record<string, number>;
	/** Rows that needed more than one run. */
	again: number;
	/** Forged callbacks that were sent. */
	forgeries: number;
	seconds: number;
	findings: Findings;
	/** Runs that crashed or did not end, and items that said nothing; undefined where a phase does not look for them. */
	stuck?: string[];
	/** What is worth telling and is no finding. */
	notes: Record<string, string | number>;
}

export function strikesOn({ requests, downloads }: Sandbox): Pick<Report, 'calls' | 'strikes'> {
	const strikes: Record<string, number> = {};
	for (const { fault } of [...requests, ...downloads])
		if (fault) strikes[fault] = (strikes[fault] ?? 0) + 1;
	return { calls: requests.length + downloads.length, strikes };
}

export const struck = ({ strikes }: Pick<Report, 'strikes'>): number =>
	Object.values(strikes).reduce((sum, count) => sum + count, 0);

/** Everything a campaign must not show; zero is the bar. */
export const violations = ({ findings, stuck }: Report): number =>
	countOf(findings) + (stuck?.length ?? 0);
