import { readLoad, readTreeSeconds } from '../processLoad';

const EVERY_MS = 1_000;

interface Watched {
	role: string;
	pid: number;
	/** Processor seconds before it was watched. */
	before: number;
	/** Since then, as last seen: a process that was killed says nothing any more. */
	used: number;
	megabytes: number;
}

/** Watches processes by the role they play, also those that end meanwhile and those that replace them. */
export class LoadMeter {
	private readonly watched: Watched[] = [];
	private readonly timer = setInterval(() => void this.read(), EVERY_MS);

	async watch(role: string, pid: number): Promise<void> {
		const before = await readTreeSeconds(pid);
		this.watched.push({ role, pid, before, used: 0, megabytes: 0 });
	}

	/** Reads all processes now; to be called before one is ended. */
	async read(): Promise<void> {
		for (const process of this.watched) {
			const [seconds, load] = await Promise.all([
				readTreeSeconds(process.pid),
				readLoad(process.pid).catch(() => undefined),
			]);
			// One that was killed is still listed, without memory.
			if (!load || Number.isNaN(load.megabytes)) continue;
			process.used = Math.max(process.used, seconds - process.before);
			process.megabytes = Math.max(process.megabytes, load.megabytes);
		}
	}

	/** Processor seconds of all that have played the role. */
	cpuSecondsOf(role: string): number {
		return this.of(role).reduce((sum, { used }) => sum + used, 0);
	}

	/** The most that one of them held. */
	megabytesOf(role: string): number {
		return Math.max(...this.of(role).map(({ megabytes }) => megabytes));
	}

	stop(): void {
		clearInterval(this.timer);
	}

	private of(role: string): Watched[] {
		return this.watched.filter((process) => process.role === role);
	}
}
