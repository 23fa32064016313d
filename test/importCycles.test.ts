import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** A file that imports itself over others can be neither read nor loaded on its own. Imports of types count as well. */
const ROOT = path.join(__dirname, '..');
const FOLDERS = ['nodes', 'credentials', 'sandbox', 'scripts', 'bench', 'test/support'];

type Graph = ReadonlyMap<string, readonly string[]>;

function filesIn(folder: string): string[] {
	return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
		const name = `${folder}/${entry.name}`;
		if (entry.isDirectory()) return filesIn(name);
		return name.endsWith('.ts') ? [name] : [];
	});
}

/** The file that a relative import of `file` leads to; undefined for packages and JSON. */
function resolveImport(file: string, specifier: string): string | undefined {
	if (!specifier.startsWith('.')) return undefined;
	const target = path.posix.join(path.posix.dirname(file), specifier);
	return [target, `${target}.ts`, `${target}/index.ts`].find(
		(candidate) => candidate.endsWith('.ts') && existsSync(path.join(ROOT, candidate)),
	);
}

function importsOf(file: string): string[] {
	const { importedFiles } = ts.preProcessFile(readFileSync(path.join(ROOT, file), 'utf8'));
	return importedFiles.flatMap(({ fileName }) => resolveImport(file, fileName) ?? []);
}

/** Every file that is part of a cycle leads to the first cycle found from it, as a list from a file back to itself. */
function findCycles(graph: Graph): string[][] {
	const done = new Set<string>();
	const cycles: string[][] = [];
	const visit = (file: string, trail: string[]): void => {
		const start = trail.indexOf(file);
		if (start >= 0) return void cycles.push([...trail.slice(start), file]);
		if (done.has(file)) return;
		for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
		done.add(file);
	};
	for (const file of graph.keys()) visit(file, []);
	return cycles;
}

describe('imports', () => {
	const graph: Graph = new Map(FOLDERS.flatMap(filesIn).map((file) => [file, importsOf(file)]));

	it('lead from no file back to itself', () => {
		expect(findCycles(graph).map((cycle) => cycle.join(' → '))).toEqual([]);
	});

	it('are read as they stand', () => {
		expect(graph.get('bench/index.ts')).toContain('bench/benchHost.ts');
		expect(graph.get('scripts/package.ts')).toContain(
			'nodes/GenerationGateway/GenerationGateway.node.ts',
		);
		for (const folder of FOLDERS)
			expect([...graph.keys()].filter((file) => file.startsWith(`${folder}/`))).not.toEqual([]);
	});

	it('would be found in a circle, however long', () => {
		const circle: Graph = new Map([
			['a', ['b', 'e']],
			['b', ['c']],
			['c', ['d', 'e']],
			['d', ['b']],
			['e', []],
		]);
		expect(findCycles(circle)).toEqual([['b', 'c', 'd', 'b']]);
	});
});
