import { execFile } from 'node:child_process';
import path from 'node:path';
import { CALLS, isOfTasks } from './matrix/calls';

interface Mutant {
	file: string;
	from: string;
	to: string;
	/** The test file that must find it, below `test/`. */
	test?: string;
	/** The cell of the matrix that must find it. */
	cells?: string;
}

// eslint-disable-next-line @typescript-eslint/no-require-imports -- jest loads it without a transform
const { MUTANTS } = require('./support/mutants') as { MUTANTS: Record<string, Mutant> };
const ROOT = path.join(__dirname, '..');
/** Random sequences of a model-based test. Each of its mutants is found in fewer. */
const SEQUENCES = '5000';

/** What jest reports of a test file on a mutant of the code. */
const report = async (name: string, test: string, cells = ''): Promise<string> =>
	await new Promise((resolve) => {
		const jest = path.join(ROOT, 'node_modules', '.bin', 'jest');
		// A test that fails may leave a server or a timer behind.
		const options = ['--ci', '--forceExit', '--runTestsByPath', `test/${test}.test.ts`];
		const env = { ...process.env, MUTANT: name, MATRIX: cells, SEQUENCES };
		execFile(jest, options, { cwd: ROOT, env }, (_error, _stdout, stderr) => resolve(stderr));
	});

/** The matrix names its failed cells, so that a mutant that breaks everything is not taken for found. */
async function findCells(name: string, cells: string): Promise<string[]> {
	const found = CALLS.find((row) => cells.startsWith(`${row.name} |`))!;
	const output = await report(name, `matrix/${isOfTasks(found) ? 'tasks' : 'others'}`, cells);
	return output.match(/(?<=MATRIX=")[^"]+/g) ?? [];
}

describe('the tests find the loss of', () => {
	it.concurrent.each(Object.entries(MUTANTS))(
		'%s',
		async (name, { test, cells }) => {
			if (cells) expect(await findCells(name, cells)).toContain(cells);
			else expect(await report(name, test!)).toMatch(/^Tests: +\d+ failed, \d+ passed/m);
		},
		300_000,
	);
});
