import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { CALLS, isOfTasks } from './calls';

interface Mutant {
	file: string;
	from: string;
	to: string;
	/** A part of the matrix that must find it. */
	cells: string;
}

// eslint-disable-next-line @typescript-eslint/no-require-imports -- jest loads it without a transform
const { MUTANTS } = require('../support/mutants') as { MUTANTS: Record<string, Mutant> };
const ROOT = path.join(__dirname, '..', '..');
const run = promisify(execFile);

/** The cells that fail on a mutant of the code. */
async function findFailures(name: string, { cells }: Mutant): Promise<string[]> {
	const found = CALLS.find((row) => cells.startsWith(`${row.name} |`))!;
	const file = `test/matrix/${isOfTasks(found) ? 'tasks' : 'others'}.test.ts`;
	const jest = path.join(ROOT, 'node_modules', '.bin', 'jest');
	const output = await run(jest, ['--ci', '--runInBand', '--runTestsByPath', file], {
		cwd: ROOT,
		env: { ...process.env, MUTANT: name, MATRIX: cells },
	}).then(
		({ stderr }) => stderr,
		({ stderr }: { stderr: string }) => stderr,
	);
	return output.match(/(?<=MATRIX=")[^"]+/g) ?? [];
}

describe('the matrix finds the loss of', () => {
	it('is shown where all cells run', () => expect(Object.keys(MUTANTS).length).toBeGreaterThan(15));
	if (process.env.MATRIX) return;
	it.concurrent.each(Object.entries(MUTANTS))(
		'%s',
		async (name, mutant) => {
			expect(await findFailures(name, mutant)).toEqual(expect.arrayContaining([mutant.cells]));
		},
		120_000,
	);
});
