import { readFileSync } from 'node:fs';
import path from 'node:path';

// eslint-disable-next-line @typescript-eslint/no-require-imports -- jest loads it without a transform
const { MUTANTS } = require('./support/mutants') as {
	MUTANTS: Record<string, { file: string; from: string; to: string }>;
};

it.each(Object.entries(MUTANTS))(
	'the code has one place for the mutant in test/support/mutants.js: %s',
	(_name, { file, from, to }) => {
		const source = readFileSync(path.join(__dirname, '..', file), 'utf8');

		expect(source.split(from)).toHaveLength(2);
		expect(to).not.toBe(from);
	},
);
