import { readFile } from 'node:fs/promises';

/** Clock ticks of Linux in a second. */
const TICKS = 100;

export interface ProcessLoad {
	/** Processor time since the process began, its threads included. */
	cpuSeconds: number;
	megabytes: number;
}

/** What a process has used so far, from Linux. */
export async function readLoad(pid: number): Promise<ProcessLoad> {
	const [stat, status] = await Promise.all([
		readFile(`/proc/${pid}/stat`, 'utf8'),
		readFile(`/proc/${pid}/status`, 'utf8'),
	]);
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
	return {
		cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
		megabytes: kilobytes / 1024,
	};
}
