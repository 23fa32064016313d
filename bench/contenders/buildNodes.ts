import path from 'node:path';
import { build } from 'esbuild';

/** Compiles the nodes made for the contest into a folder that n8n reads as custom extensions. */
export async function buildContenders(folder: string): Promise<string> {
	await build({
		entryPoints: [path.join(__dirname, 'Serial.node.ts'), path.join(__dirname, 'Bare.node.ts')],
		outdir: folder,
		bundle: true,
		external: ['n8n-workflow'],
		format: 'cjs',
		platform: 'node',
	});
	return folder;
}
