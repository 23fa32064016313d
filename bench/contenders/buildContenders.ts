import path from 'node:path';
import { build } from 'esbuild';

const NODES = ['Bare.node.ts', 'Pipe.node.ts', 'Serial.node.ts', 'Suspend.node.ts'];

/** Compiles the nodes that were made for the contests into a folder that n8n reads as custom extensions. */
export async function buildContenders(folder: string): Promise<string> {
	await build({
		entryPoints: NODES.map((file) => path.join(__dirname, file)),
		outdir: folder,
		bundle: true,
		external: ['n8n-workflow'],
		format: 'cjs',
		platform: 'node',
	});
	return folder;
}
