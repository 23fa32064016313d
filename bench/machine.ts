import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';
import { NODE_MAJOR, getVersion } from '../scripts/host/versions';

/** Where and when a measure was taken. */
export interface Machine {
	day: string;
	cores: number;
	processor: string;
	memoryGb: number;
	system: string;
	node: string;
	n8n: string;
	commit: string;
}

export function readMachine(): Machine {
	const [core] = cpus();
	return {
		day: new Date().toISOString().slice(0, 10),
		cores: cpus().length,
		processor: core?.model.trim() ?? 'unknown',
		memoryGb: Math.round(totalmem() / 2 ** 30),
		system: `${type()} ${release().split('-')[0]}`,
		node: process.version.slice(1),
		n8n: `${getVersion('newest').n8n} on Node ${NODE_MAJOR}`,
		commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
	};
}
