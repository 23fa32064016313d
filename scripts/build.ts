import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import manifest from '../package.json';
import { run } from './processes';

const ROOT = path.join(__dirname, '..');
/** What the build reads. A file that was removed shows in the time of its folder. */
const SOURCES = [
	'nodes',
	'credentials',
	'icons',
	'scripts/schemas',
	'gulpfile.js',
	'package.json',
	'tsconfig.json',
];
const RESULTS = [...manifest.n8n.nodes, ...manifest.n8n.credentials];

const changedAt = (file: string): number => statSync(path.join(ROOT, file)).mtimeMs;
function listFiles(file: string): string[] {
	if (!statSync(path.join(ROOT, file)).isDirectory()) return [file];
	return [
		file,
		...readdirSync(path.join(ROOT, file)).flatMap((name) => listFiles(path.join(file, name))),
	];
}

/** Whether the sources are older than everything that was built of them. */
function isUpToDate(): boolean {
	if (!RESULTS.every((file) => existsSync(path.join(ROOT, file)))) return false;
	const builtAt = Math.min(...RESULTS.map(changedAt));
	return SOURCES.flatMap(listFiles).every((file) => changedAt(file) < builtAt);
}

/** Builds the package, unless nothing has changed since it was built. */
export async function buildIfChanged(): Promise<void> {
	if (isUpToDate()) return;
	console.log('Building the package (about 15 s) …');
	await run(path.join(ROOT, 'node_modules', '.bin', 'gulp'), ['build'], ROOT);
}

/** For what reads `dist/`: says what to do where it is missing. */
export function assertBuilt(): void {
	if (RESULTS.every((file) => existsSync(path.join(ROOT, file)))) return;
	throw new Error('The package is not built: run npm run build first');
}
