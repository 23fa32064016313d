const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { transformSync, version } = require('esbuild');
const { MUTANTS } = require('./mutants');

const { MUTANT = '' } = process.env;

/** The source, with the change of the chosen mutant where it is the file of that. */
function mutate(source, file) {
	const mutant = MUTANTS[MUTANT];
	if (!mutant || !file.endsWith(mutant.file)) return source;
	if (!source.includes(mutant.from)) throw new Error(`${file} has nothing to change for ${MUTANT}`);
	return source.replace(mutant.from, mutant.to);
}

/** Gives jest plain JavaScript of a TypeScript file; types are checked by `npm run typecheck`. */
module.exports = {
	process: (source, file) =>
		transformSync(mutate(source, file), {
			loader: file.endsWith('.ts') ? 'ts' : 'js',
			format: 'cjs',
			target: 'es2022',
			sourcemap: 'inline',
			sourcefile: file,
		}),
	getCacheKey: (source, file) =>
		createHash('sha256')
			.update(version)
			.update(readFileSync(__filename))
			.update(file)
			.update(mutate(source, file))
			.digest('hex'),
};
