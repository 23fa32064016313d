import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readMachine } from './machine';
import { formatPage, formatTable, formatOutcome } from './page';
import { drawPlot } from './plots';
import type { Records, Result } from './result';

const DOCS = path.join(__dirname, '..', 'docs');
const JSON_FILE = path.join(DOCS, 'benchmarks.json');

/** Replaces its last result, writes the page and the pictures anew, and prints it. */
export async function record(result: Result, first: string[], inDepth: string[]): Promise<void> {
	const order = [...first, ...inDepth];
	const known = existsSync(JSON_FILE)
		? (JSON.parse(await readFile(JSON_FILE, 'utf8')) as Records).measures
		: [];
	const others = known.filter(({ name }) => name !== result.name && order.includes(name));
	const measures = [...others, { ...result, taken: readMachine() }].sort(
		(a, b) => order.indexOf(a.name) - order.indexOf(b.name),
	);
	await writeFile(JSON_FILE, `${JSON.stringify({ measures }, null, 2)}\n`);
	await writeFile(path.join(DOCS, 'benchmarks.md'), formatPage({ measures }, inDepth));
	for (const plot of result.plots)
		await writeFile(path.join(DOCS, 'images', `bench-${plot.name}.svg`), drawPlot(plot));
	console.log(
		`\n${result.title}\n${result.tables.map(formatTable).join('\n\n')}\n${result.targets.map(formatOutcome).join('\n')}`,
	);
}
