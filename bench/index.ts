import { batch } from './batch';
import { detection } from './detection';
import { files } from './files';
import { growth } from './growth';
import { limit } from './limit';
import { record } from './record';
import type { Measure } from './result';
import { teardownBenchHost } from './benchHost';
import { weight } from './weight';
import { text } from './text';

const MEASURES: Measure[] = [batch, detection, limit, text, files, weight, growth];

/** Runs all measures, or those that are named, and writes what they found: `npm run bench -- batch weight`. */
async function main(names: string[]): Promise<void> {
	const unknown = names.filter((name) => !MEASURES.some((measure) => measure.name === name));
	if (unknown.length)
		throw new Error(
			`There is no measure ${unknown.join(', ')}. There are ${MEASURES.map(({ name }) => name).join(', ')}`,
		);
	try {
		for (const measure of MEASURES.filter(({ name }) => !names.length || names.includes(name))) {
			const began = performance.now();
			const result = await measure.run();
			await record(
				result,
				MEASURES.map(({ name }) => name),
			);
			console.log(`  took ${Math.round((performance.now() - began) / 1000)} s`);
		}
	} finally {
		await teardownBenchHost();
	}
}

main(process.argv.slice(2)).catch((reason: unknown) => {
	console.error(reason);
	process.exitCode = 1;
});
