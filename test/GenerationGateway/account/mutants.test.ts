import { execFile } from 'node:child_process';
import path from 'node:path';

// eslint-disable-next-line @typescript-eslint/no-require-imports -- jest loads it without a transform
const { MONEY_MUTANTS } = require('../../support/mutants') as { MONEY_MUTANTS: object };
const ROOT = path.join(__dirname, '..', '..', '..');
/** Each is found within some hundred, most within some ten. */
const SEQUENCES = '20000';

/** What the model-based test says of a mutant of the code. */
const runModel = async (mutant: string): Promise<string> =>
	await new Promise((resolve) => {
		const jest = path.join(ROOT, 'node_modules', '.bin', 'jest');
		const file = 'test/GenerationGateway/account/account.model.test.ts';
		const env = { ...process.env, MUTANT: mutant, SEQUENCES };
		const options = ['--ci', '--runInBand', '--runTestsByPath', file];
		execFile(jest, options, { cwd: ROOT, env }, (_error, _stdout, stderr) => resolve(stderr));
	});

describe('the model-based test finds the loss of', () => {
	it.concurrent.each(Object.keys(MONEY_MUTANTS))(
		'%s',
		async (mutant) => {
			expect(await runModel(mutant)).toMatch(/Property failed after \d+ tests/);
		},
		300_000,
	);
});
