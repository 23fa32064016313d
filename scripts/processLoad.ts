import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks of Linux in a second. */
const TICKS = 100;

export interface ProcessLoad {
	/** Processor time since the process began, its threads included. */
	cpuSeconds: number;
	megabytes: number;
}

interface ProcessStat {
	pid: number;
	parent: number;
	cpuSeconds: number;
	/** Of children that have ended. */
	childSeconds: number;
}

async function readStat(pid: number): Promise<ProcessStat> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
	// The name of the program stands in parentheses and may hold anything.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const secondsAt = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / TICKS;
	return {
		pid,
		parent: Number(fields[1]),
		cpuSeconds: secondsAt(11),
		childSeconds: secondsAt(13),
	};
}

/** What a process has used so far, from Linux. */
export async function readLoad(pid: number): Promise<ProcessLoad> {
	const [{ cpuSeconds }, status] = await Promise.all([
		readStat(pid),
		readFile(`/proc/${pid}/status`, 'utf8'),
	]);
	const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
	return { cpuSeconds, megabytes: kilobytes / 1024 };
}

/** Processor seconds of a process and of all that it has started, also of those that have ended. */
export async function readTreeSeconds(root: number): Promise<number> {
	const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
	const stats = (await Promise.all(pids.map((pid) => readStat(pid).catch(() => undefined)))).filter(
		(stat) => stat !== undefined,
	);
	const tree = new Set([root]);
	// A child may have a lower number than its parent, so the list is gone through until nothing is added.
	for (let size = 0; size < tree.size;) {
		size = tree.size;
		for (const { pid, parent } of stats) if (tree.has(parent)) tree.add(pid);
	}
	return stats
		.filter(({ pid }) => tree.has(pid))
		.reduce((sum, { cpuSeconds, childSeconds }) => sum + cpuSeconds + childSeconds, 0);
}
