import type { Sandbox } from '../../sandbox';
import { countFindings, type Findings } from './audit';

/** The result of one phase of the campaign. */
export interface Report {
	name: string;
	rows: number;
	tasks: number;
	/** Requests to the gateway and to the host of the results. */
	calls: number;
	/** How many of them met each kind of fault. */
	faults: Record<string, number>;
	/** Rows that needed more than one run. */
	retriedRows: number;
	/** Forged callbacks that were sent. */
	forgeries: number;
	seconds: number;
	findings: Findings;
	/** Runs that crashed or did not end, and items with neither a task nor a message; undefined if a phase does not check for them. */
	stuck?: string[];
	/** Figures that are no findings. */
	notes: Record<string, string | number>;
}

export function countFaults({ requests, downloads }: Sandbox): Pick<Report, 'calls' | 'faults'> {
	const faults: Record<string, number> = {};
	for (const { fault } of [...requests, ...downloads])
		if (fault) faults[fault] = (faults[fault] ?? 0) + 1;
	return { calls: requests.length + downloads.length, faults };
}

export const totalFaults = ({ faults }: Pick<Report, 'faults'>): number =>
	Object.values(faults).reduce((sum, count) => sum + count, 0);

/** How many findings there are; must be zero. */
export const countViolations = ({ findings, stuck }: Report): number =>
	countFindings(findings) + (stuck?.length ?? 0);
