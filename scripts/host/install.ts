import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { run } from '../processes';
import { npmInstall } from './npmInstall';
import { NODE_MAJOR, type HostVersion } from './versions';

/** Where installed hosts are kept between runs; about 2.2 GB each. */
export const CACHE =
	process.env.GENERATION_GATEWAY_HOSTS ??
	path.join(homedir(), '.cache', 'n8n-nodes-generation-gateway');

/** Installs into a folder beside and moves it over when it is whole, so that a broken install is never taken for one. */
export async function installOnce(
	folder: string,
	log: (line: string) => void,
	label: string,
	install: (folder: string) => Promise<void>,
): Promise<string> {
	if (existsSync(folder)) return folder;
	const startedAt = Date.now();
	log(`${label} …`);
	const unfinished = `${folder}.unfinished`;
	await rm(unfinished, { recursive: true, force: true });
	await mkdir(unfinished, { recursive: true });
	await install(unfinished);
	await rename(unfinished, folder);
	log(`${label}: done in ${Math.round((Date.now() - startedAt) / 1000)} s`);
	return folder;
}

/** Says every 5 s that the work goes on. */
async function withProgress(
	log: (line: string) => void,
	what: string,
	work: () => Promise<void>,
): Promise<void> {
	const startedAt = Date.now();
	const report = () => log(`  ${what}, ${Math.round((Date.now() - startedAt) / 1000)} s`);
	const timer = setInterval(report, 5_000);
	await work().finally(() => clearInterval(timer));
}

export interface InstalledHost {
	/** The Node program that runs it. */
	node: string;
	/** n8n's command line program. */
	n8n: string;
	version: HostVersion;
}

const nodeFolderOf = () => path.join(CACHE, `node-${NODE_MAJOR}`);
const hostFolderOf = ({ n8n }: HostVersion) => path.join(CACHE, `n8n-${n8n}`);

/** Whether nothing has to be downloaded for it. */
export const isHostInstalled = (version: HostVersion): boolean =>
	[nodeFolderOf(), hostFolderOf(version)].every(existsSync);

/** A Node of the major version that n8n needs, as npm brings it, and an n8n; both kept for the next time. */
export async function installHost(
	version: HostVersion,
	log: (line: string) => void = console.log,
): Promise<InstalledHost> {
	await mkdir(CACHE, { recursive: true });
	const nodeFolder = await installOnce(
		nodeFolderOf(),
		log,
		`Installing Node ${NODE_MAJOR}`,
		async (folder) => {
			await writeFile(path.join(folder, 'package.json'), '{ "private": true }');
			// The program comes in a package for this platform; only the link to it is made by a script.
			await npmInstall(folder, log, [`node@${NODE_MAJOR}`, '--ignore-scripts=false']);
		},
	);
	const hostFolder = await installOnce(
		hostFolderOf(version),
		log,
		`Installing n8n ${version.n8n}, once: about 2.2 GB on disk, two to six minutes`,
		async (folder) => {
			const manifest = {
				private: true,
				dependencies: { n8n: version.n8n, ...version.extraDependencies },
				overrides: version.overrides,
			};
			await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
			await npmInstall(folder, log, ['--ignore-scripts', '--legacy-peer-deps']);
			await withProgress(log, 'compiling the database driver', async () => {
				await run('npm', ['rebuild', 'sqlite3', '--ignore-scripts=false'], folder);
			});
		},
	);
	return {
		node: path.join(nodeFolder, 'node_modules', 'node', 'bin', 'node'),
		n8n: path.join(hostFolder, 'node_modules', 'n8n', 'bin', 'n8n'),
		version,
	};
}
