import path from 'node:path';
import { build } from 'esbuild';

/** Compiles the serial node into a folder that n8n reads as custom extensions. */
export async function buildSerialNode(folder: string): Promise<string> {
	await build({
		entryPoints: [path.join(__dirname, 'Serial.node.ts')],
		outfile: path.join(folder, 'Serial.node.js'),
		format: 'cjs',
		platform: 'node',
	});
	return folder;
}
