const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
const path = require('node:path');
const esbuild = require('esbuild');
const { n8n } = require('./package.json');
const { dest, parallel, series, src } = require('gulp');

/** Runs a program of node_modules and ends when it ends; its failure is the task's failure. */
function run(program, ...args) {
	const bin = path.join(__dirname, 'node_modules', '.bin', program);
	return new Promise((resolve, reject) => {
		spawn(bin, args, { stdio: 'inherit', cwd: __dirname })
			.on('error', reject)
			.on('exit', (code) =>
				code ? reject(new Error(`${program} ended with ${code}`)) : resolve(),
			);
	});
}

/** What tsc makes of the sources: checked, and without comments. */
const COMPILED = path.join(__dirname, 'node_modules', '.cache', 'compiled');
const clean = async () => {
	for (const folder of ['dist', COMPILED]) await rm(folder, { recursive: true, force: true });
};
const compile = () =>
	run('tsc', '-p', 'tsconfig.build.json', '--outDir', COMPILED, '--module', 'es2022');

/** One file for each node and credential: n8n loads them in half the time of the files they are made of. */
async function bundle() {
	await esbuild.build({
		entryPoints: [...n8n.nodes, ...n8n.credentials].map((file) =>
			path.join(COMPILED, path.relative('dist', file)),
		),
		outdir: 'dist',
		outbase: COMPILED,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'cjs',
		target: 'es2022',
		// n8n's own packages are found by require alone.
		supported: { 'dynamic-import': false },
	});
}

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

/** The pages of docs/ that come from the code. */
const docs = () => run('tsx', 'scripts/docs/index.ts');

/** What the items of each operation hold, for n8n's editor and its AI builder. */
const schemas = () => run('tsx', 'scripts/schemas/index.ts');

const build = series(clean, parallel(series(compile, bundle), icons, codex, docs, schemas));

exports.build = build;
