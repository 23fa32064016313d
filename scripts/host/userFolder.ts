import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../../package.json';
import { assertBuilt } from '../build';
import { run } from '../processes';

const ROOT = path.join(__dirname, '..', '..');

/** The folder of this package in a user folder. */
export const getInstalledFolder = (userFolder: string): string =>
	path.join(userFolder, '.n8n', 'nodes', 'node_modules', manifest.name);

/** Packs this package as it would be published, from what is built now. */
export async function pack(folder: string): Promise<string> {
	assertBuilt();
	await mkdir(folder, { recursive: true });
	for (const old of (await readdir(folder)).filter((name) => name.endsWith('.tgz')))
		await rm(path.join(folder, old));
	await run('npm', ['pack', '--loglevel=error', '--pack-destination', folder], ROOT);
	const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
	return path.join(folder, tarball!);
}

/** Installs the packed package into a user folder, the way n8n's Settings page does. */
export async function installPackage(userFolder: string, tarball: string): Promise<void> {
	const nodes = path.join(userFolder, '.n8n', 'nodes');
	await rm(nodes, { recursive: true, force: true });
	await mkdir(nodes, { recursive: true });
	await writeFile(
		path.join(nodes, 'package.json'),
		'{ "name": "installed-nodes", "private": true, "dependencies": {} }',
	);
	await run(
		'npm',
		['install', tarball, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
		nodes,
	);
}
