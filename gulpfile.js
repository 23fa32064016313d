const { spawn } = require('node:child_process');
const { mkdir, rm, writeFile } = require('node:fs/promises');
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

/** What n8n loads: a file for each node and credential. */
const entries = [...n8n.nodes, ...n8n.credentials];
/** Where all of them come from. */
const CODE = 'dist/package.js';

/** All code as one file, of which each node is a part: n8n loads it in less time, and it is half as large. */
async function bundle() {
	await esbuild.build({
		stdin: {
			contents: entries
				.map((file) => `export * from './${path.relative('dist', file)}';`)
				.join('\n'),
			resolveDir: COMPILED,
		},
		outfile: path.join(__dirname, CODE),
		absWorkingDir: COMPILED,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'cjs',
		target: 'es2022',
		// n8n's own packages are found by require alone.
		supported: { 'dynamic-import': false },
	});
	for (const file of entries) {
		const name = path.basename(file).split('.')[0];
		const code = path.relative(path.dirname(file), CODE);
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, `exports.${name} = require('${code}').${name};\n`);
	}
}

const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

/** The pages of docs/ that come from the code. */
const docs = () => run('tsx', 'scripts/docs/index.ts');

/** What the items of each operation hold, for n8n's editor and its AI builder. */
const schemas = () => run('tsx', 'scripts/schemas/index.ts');

const build = series(clean, parallel(series(compile, bundle), icons, codex, docs, schemas));

exports.build = build;
