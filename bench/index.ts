import { buildIfChanged } from '../scripts/build';
import { runCommand, UsageError } from '../scripts/commandLine';
import { batch } from './batch';
import { bursts } from './bursts';
import { detection } from './detection';
import { files } from './files';
import { growth } from './growth';
import { limit } from './limit';
import { pacing } from './pacing';
import { rateLimit } from './rateLimit';
import { record } from './record';
import type { Measure } from './result';
import { teardownBenchHost } from './benchHost';
import { sharedLimit } from './sharedLimit';
import { streams } from './streams';
import { suspended } from './suspendedMany';
import { weight } from './weight';
import { text } from './text';
import { thousands } from './thousands';

/** What users ask first. */
const FIRST: Measure[] = [
	batch,
	detection,
	text,
	files,
	suspended,
	thousands,
	limit,
	streams,
	bursts,
	growth,
];
/** What maintainers ask. */
const IN_DEPTH: Measure[] = [weight, pacing, sharedLimit, rateLimit];
const MEASURES = [...FIRST, ...IN_DEPTH];
const toNames = (measures: readonly Measure[]) => measures.map(({ name }) => name);

const USAGE = `npm run bench [-- names]
Runs all measures, or those that are named, and writes docs/benchmarks.md.
There are ${toNames(MEASURES).join(', ')}.`;

async function runMeasures(names: string[]): Promise<void> {
	const unknown = names.filter((name) => !MEASURES.some((measure) => measure.name === name));
	if (unknown.length) throw new UsageError(`There is no measure ${unknown.join(', ')}\n\n${USAGE}`);
	await buildIfChanged();
	try {
		for (const measure of MEASURES.filter(({ name }) => !names.length || names.includes(name))) {
			const began = performance.now();
			const result = await measure.run();
			await record(result, toNames(FIRST), toNames(IN_DEPTH));
			console.log(`  took ${Math.round((performance.now() - began) / 1000)} s`);
		}
	} finally {
		await teardownBenchHost();
	}
}

runCommand({
	usage: USAGE,
	options: {},
	takesNames: true,
	run: async (_values, _signal, names) => await runMeasures(names),
});
