import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';

const MEGABYTE_IN_KB = 1024;

/** Linux keeps the most memory a process ever held (VmHWM), and forgets it on request; elsewhere growth is not a number. */
export class Peak {
	private constructor(
		private readonly pid: number,
		private readonly before: number,
	) {}

	static async of(pid: number): Promise<Peak> {
		if (existsSync(`/proc/${pid}/clear_refs`)) await writeFile(`/proc/${pid}/clear_refs`, '5');
		return new Peak(pid, await fieldOf(pid, 'VmRSS'));
	}

	/** Megabytes between the memory held at the beginning and the most held since. */
	async growth(): Promise<number> {
		return (await fieldOf(this.pid, 'VmHWM')) - this.before;
	}
}

async function fieldOf(pid: number, name: string): Promise<number> {
	const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
	return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / MEGABYTE_IN_KB;
}
