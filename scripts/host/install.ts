import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { NODE_MAJOR, type HostVersion } from './versions';

/** Where installed hosts are kept between runs; about 2.2 GB each. */
export const CACHE =
	process.env.GENERATION_GATEWAY_HOSTS ??
	path.join(homedir(), '.cache', 'n8n-nodes-generation-gateway');

/** Runs a program to its end; what it printed goes with the reason when it fails. */
export async function run(
	program: string,
	args: string[],
	cwd: string,
	env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
	return await new Promise((resolve, reject) => {
		const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
		let output = '';
		child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
		child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
		child.on('error', reject);
		child.on('exit', (code) =>
			code
				? reject(
						new Error(`${program} ${args.join(' ')} ended with ${code}\n${output.slice(-3000)}`),
					)
				: resolve(output),
		);
	});
}

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

/** Arguments of npm for an install into a folder of its own. */
export const INSTALL = [
	'install',
	'--ignore-scripts',
	'--legacy-peer-deps',
	'--no-audit',
	'--no-fund',
	'--loglevel=error',
];

export interface InstalledHost {
	/** The Node program that runs it. */
	node: string;
	/** n8n's command line program. */
	n8n: string;
	version: HostVersion;
}

/** A Node of the major version that n8n needs, as npm brings it, and an n8n; both kept for the next time. */
export async function installHost(
	version: HostVersion,
	log: (line: string) => void = console.log,
): Promise<InstalledHost> {
	await mkdir(CACHE, { recursive: true });
	const nodeFolder = await installOnce(
		path.join(CACHE, `node-${NODE_MAJOR}`),
		log,
		`Installing Node ${NODE_MAJOR}`,
		async (folder) => {
			await writeFile(path.join(folder, 'package.json'), '{ "private": true }');
			// The program comes in a package for this platform; only the link to it is made by a script.
			await run(
				'npm',
				[
					'install',
					`node@${NODE_MAJOR}`,
					'--no-audit',
					'--no-fund',
					'--loglevel=error',
					'--ignore-scripts=false',
				],
				folder,
			);
		},
	);
	const hostFolder = await installOnce(
		path.join(CACHE, `n8n-${version.n8n}`),
		log,
		`Installing n8n ${version.n8n} (about 2.2 GB, one to three minutes)`,
		async (folder) => {
			const manifest = {
				private: true,
				dependencies: { n8n: version.n8n, ...version.extraDependencies },
				overrides: version.overrides,
			};
			await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
			await run('npm', INSTALL, folder);
			await run('npm', ['rebuild', 'sqlite3', '--ignore-scripts=false'], folder);
		},
	);
	return {
		node: path.join(nodeFolder, 'node_modules', 'node', 'bin', 'node'),
		n8n: path.join(hostFolder, 'node_modules', 'n8n', 'bin', 'n8n'),
		version,
	};
}
