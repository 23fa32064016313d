import ts from 'typescript';

const FILE = 'checked.ts';

/** Compiles one statement a line after the types, and gives the positions of those that TypeScript refuses. */
export function findTypeErrors(types: string, statements: readonly string[]): Set<number> {
	const source = [types, ...statements].join('\n');
	const firstLine = types.split('\n').length;
	const options: ts.CompilerOptions = {
		strict: true,
		noEmit: true,
		lib: ['lib.es5.d.ts'],
		types: [],
	};
	const host = ts.createCompilerHost(options);
	const { getSourceFile } = host;
	host.getSourceFile = (name, ...others) =>
		name === FILE
			? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022)
			: getSourceFile.call(host, name, ...others);
	const program = ts.createProgram([FILE], options, host);
	const errors = new Set<number>();
	for (const { file, start = 0, messageText } of ts.getPreEmitDiagnostics(program)) {
		const line = file ? file.getLineAndCharacterOfPosition(start).line : -1;
		if (line < firstLine) throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
		errors.add(line - firstLine);
	}
	return errors;
}
