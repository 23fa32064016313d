import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.join(__dirname, '..', '..');

/** Every TypeScript file of a folder, as paths from the root. */
export function sourceFiles(folder: string): string[] {
	return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((item) => {
		const name = `${folder}/${item.name}`;
		if (item.isDirectory()) return sourceFiles(name);
		return name.endsWith('.ts') ? [name] : [];
	});
}

export const parseSource = (file: string): ts.SourceFile =>
	ts.createSourceFile(
		file,
		readFileSync(path.join(ROOT, file), 'utf8'),
		ts.ScriptTarget.ES2022,
		true,
	);

/** Calls back for every node of a tree. */
export function visitNodes(node: ts.Node, visit: (node: ts.Node) => void): void {
	visit(node);
	node.forEachChild((child) => visitNodes(child, visit));
}

/** The literals of a union type, e.g. `read`, `submit`, … of `RequestKind`. */
export function unionLiterals(file: string, typeName: string): string[] {
	const found: string[] = [];
	visitNodes(parseSource(file), (node) => {
		if (!ts.isTypeAliasDeclaration(node) || node.name.text !== typeName) return;
		visitNodes(node.type, (part) => void (ts.isStringLiteral(part) && found.push(part.text)));
	});
	return found;
}
