const { spawn } = require('node:child_process');
const { rm } = require('node:fs/promises');
const path = require('node:path');
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

const clean = () => rm('dist', { recursive: true, force: true });
const compile = () => run('tsc', '-p', 'tsconfig.build.json');
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const codex = () => src('nodes/**/*.node.json').pipe(dest('dist/nodes'));

/** The pages of docs/ that come from the code. */
const docs = () => run('tsx', 'scripts/docs/index.ts');

const build = series(clean, compile, parallel(icons, codex, docs));

exports.build = build;
