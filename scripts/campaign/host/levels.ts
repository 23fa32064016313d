import { writeFile } from 'node:fs/promises';
import path from 'node:path';

const MARK = 'LEVEL ';
/** Later figures may be this much above earlier ones. */
const ALLOWED_GROWTH = 1.1;
/** A few sockets and timers come and go. */
const ALLOWED_MORE = 10;

/** What n8n's process holds at one moment. */
export interface Level {
	minute: number;
	heapMB: number;
	sockets: number;
	timers: number;
	staticBytes: number;
}

type Reading = Pick<Level, 'heapMB' | 'sockets' | 'timers'>;

/** Prints what the process holds every ten seconds, after a collection of garbage. Only in n8n's main process. */
const PROBE = `
if (process.argv[2] === 'start') {
	require('node:v8').setFlagsFromString('--expose-gc');
	const collect = require('node:vm').runInNewContext('gc');
	setInterval(() => {
		collect();
		const active = process.getActiveResourcesInfo();
		const count = (kind) => active.filter((name) => name === kind).length;
		console.log('${MARK}' + JSON.stringify({
			heapMB: Math.round(process.memoryUsage().heapUsed / 1024 / 1024),
			sockets: count('TCPSocketWrap'),
			timers: count('Timeout'),
		}));
	}, 10_000).unref();
}`;

/** The levels of n8n's process over a long run, read by a script that n8n loads before its own. */
export class Levels {
	readonly samples: Level[] = [];
	private readonly began = performance.now();
	private text = '';

	private constructor(private readonly file: string) {}

	static async create(folder: string): Promise<Levels> {
		const levels = new Levels(path.join(folder, 'levels.cjs'));
		await writeFile(levels.file, PROBE);
		return levels;
	}

	get env(): NodeJS.ProcessEnv {
		return { NODE_OPTIONS: `--require ${this.file}` };
	}

	/** What n8n prints. */
	read(text: string): void {
		this.text = (this.text + text).slice(-100_000);
	}

	/** Notes the last reading, and the size of what the workflows keep. */
	sample(staticBytes: number): void {
		const [, reading] = this.text.split(MARK).slice(-2);
		const json = /^\{.*?\}/.exec(reading ?? '')?.[0];
		if (!json) return;
		const minute = Math.round((performance.now() - this.began) / 60_000);
		this.samples.push({ minute, ...(JSON.parse(json) as Reading), staticBytes });
	}

	/** What is higher in the last third of the time than in the second; the first is left to caches. */
	findGrowth(): string[] {
		const third = Math.floor(this.samples.length / 3);
		if (!third) return ['levels: too few samples'];
		return (['heapMB', 'sockets', 'timers', 'staticBytes'] as const).flatMap((name) => {
			const before = median(this.samples.slice(third, 2 * third).map((level) => level[name]));
			const after = median(this.samples.slice(-third).map((level) => level[name]));
			const isLevel = after <= Math.max(before * ALLOWED_GROWTH, before + ALLOWED_MORE);
			return isLevel ? [] : [`${name} grew from ${before} to ${after}`];
		});
	}

	/** Six of the samples, evenly over the time, for each figure. */
	format(): Record<string, string> {
		const shown = Array.from(
			{ length: 6 },
			(_, at) => this.samples[Math.round((at * (this.samples.length - 1)) / 5)]!,
		);
		const list = (name: keyof Level) => shown.map((level) => level[name]).join(' / ');
		return {
			'at minute': list('minute'),
			'heap in MB': list('heapMB'),
			'open sockets': list('sockets'),
			timers: list('timers'),
			'bytes of static data': list('staticBytes'),
		};
	}
}

const median = (numbers: readonly number[]): number =>
	[...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
