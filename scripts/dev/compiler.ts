import path from 'node:path';
import ts from 'typescript';

const ROOT = path.join(__dirname, '..', '..');
const CONFIG = path.join(ROOT, 'tsconfig.build.json');

/** What a compilation ended with. */
export interface Compilation {
	errors: number;
	/** Milliseconds from the first change to the written files. */
	ms: number;
}

const FORMAT: ts.FormatDiagnosticsHost = {
	getCanonicalFileName: (file) => file,
	getCurrentDirectory: () => ROOT,
	getNewLine: () => '\n',
};

/**
 * Compiles nodes and credentials into `outDir` now and after every change, incrementally. A file with an
 * error is printed and nothing is written, so that n8n goes on with the last version that compiled.
 *
 * @returns a function that ends the watching
 */
export function watchSources(
	outDir: string,
	onCompiled: (result: Compilation) => void,
): () => void {
	let startedAt = Date.now();
	const host = ts.createWatchCompilerHost(
		CONFIG,
		{ outDir, noEmitOnError: true },
		ts.sys,
		ts.createEmitAndSemanticDiagnosticsBuilderProgram,
		(diagnostic) => console.log(ts.formatDiagnostic(diagnostic, FORMAT).trimEnd()),
		(_status, _newLine, _options, errors) => {
			// The status has a count of errors at the end of a compilation only.
			if (errors === undefined) startedAt = Date.now();
			else onCompiled({ errors, ms: Date.now() - startedAt });
		},
	);
	const program = ts.createWatchProgram(host);
	return () => program.close();
}
