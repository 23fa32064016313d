const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { transformSync, version } = require('esbuild');

/** Gives jest plain JavaScript of a TypeScript file; types are checked by `npm run typecheck`. */
module.exports = {
	process: (source, file) =>
		transformSync(source, {
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
			.update(source)
			.digest('hex'),
};
