import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import type { INodePropertyOptions } from 'n8n-workflow';
import { errorsPage } from '../scripts/docs/errorsPage';
import { modelsPage } from '../scripts/docs/modelsPage';
import { findOperation, listProperties } from '../nodes/GenerationGateway/actions';
import { outputSchemas } from '../scripts/schemas/outputSchemas';
import manifest from '../package.json';

/** The laws of the house: what may know what. Each file is held to them by its imports, not by its good will. */
const ROOT = path.join(__dirname, '..');
/** Where the output schemas of a node lie. */
const SCHEMAS = '__schema__/v1.0.0';

interface Import {
	file: string;
	/** A package, or a path from the root without its ending. */
	of: string;
	kind: 'type' | 'static' | 'dynamic';
}

function filesOf(folder: string): string[] {
	return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
		const name = `${folder}/${entry.name}`;
		return entry.isDirectory() ? filesOf(name) : [name];
	});
}

/** `import type`, `import { type A }` and `export type` vanish when compiled; everything else happens on the user's machine. */
function isForTypes(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
	if (ts.isExportDeclaration(node)) return node.isTypeOnly;
	const { importClause } = node;
	if (!importClause) return false;
	const { namedBindings, name } = importClause;
	const parts =
		namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : undefined;
	return (
		importClause.isTypeOnly ||
		(!name && parts !== undefined && parts.length > 0 && parts.every((part) => part.isTypeOnly))
	);
}

function importsOf(file: string): Import[] {
	const source = ts.createSourceFile(
		file,
		readFileSync(path.join(ROOT, file), 'utf8'),
		ts.ScriptTarget.ES2022,
		true,
	);
	const found: Import[] = [];
	const note = (specifier: ts.Expression | undefined, kind: Import['kind']) => {
		const text =
			specifier && ts.isStringLiteral(specifier) ? specifier.text : `something computed in ${file}`;
		found.push({
			file,
			kind,
			of: text.startsWith('.') ? path.posix.join(path.posix.dirname(file), text) : text,
		});
	};
	const walk = (node: ts.Node): void => {
		if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
			note(node.moduleSpecifier, isForTypes(node) ? 'type' : 'static');
		if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
			note(node.argument.literal as ts.Expression, 'type');
		if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference))
			note(node.moduleReference.expression, 'static');
		const called = ts.isCallExpression(node) ? node.expression : undefined;
		if (called?.kind === ts.SyntaxKind.ImportKeyword)
			note((node as ts.CallExpression).arguments[0], 'dynamic');
		if (called && ts.isIdentifier(called) && called.text === 'require')
			note((node as ts.CallExpression).arguments[0], 'static');
		ts.forEachChild(node, walk);
	};
	walk(source);
	return found;
}

const isCode = (file: string) => file.endsWith('.ts') && !file.endsWith('.d.ts');
const shipped = [...filesOf('nodes'), ...filesOf('credentials')].filter(isCode);
const imports = shipped.flatMap(importsOf);
const inside = imports.filter(({ of }) => /^(nodes|credentials)\//.test(of));
const told = (found: Import[]) =>
	found.map(({ file, of, kind }) => `${file} imports ${of} (${kind})`);

/** The floor a file is on: a folder under `nodes/`, or `credentials`. */
const floorOf = (file: string) => (file.startsWith('nodes/') ? file.split('/')[1]! : 'credentials');
/** What each floor may know beside itself. `catalog` and `gateway` do not know each other. */
const MAY_IMPORT: Record<string, readonly string[]> = {
	catalog: [],
	gateway: [],
	n8n: ['catalog', 'gateway'],
};
/** The nodes stand on top, and the credential beside them. The model tool is Task > Submit for agents. */
const ABOVE = ['catalog', 'gateway', 'n8n'];
const BESIDE: Record<string, readonly string[]> = {
	GenerationGatewayModelTool: ['GenerationGateway'],
};

describe('the house', () => {
	it('is read as it stands', () => {
		expect(shipped.length).toBeGreaterThan(60);
		expect(inside.length).toBeGreaterThan(150);
		expect(told(imports)).toContain(
			'nodes/gateway/tasks/api.ts imports nodes/gateway/tasks/schema (static)',
		);
		expect(told(imports)).toContain('nodes/n8n/binary/download.ts imports n8n-workflow (type)');
	});

	it('imports only downwards, and within a floor', () => {
		const up = inside.filter(
			({ file, of }) =>
				floorOf(file) !== floorOf(of) &&
				!(MAY_IMPORT[floorOf(file)] ?? ABOVE).includes(floorOf(of)) &&
				!BESIDE[floorOf(file)]?.includes(floorOf(of)),
		);
		expect(told(up)).toEqual([]);
	});

	it('lets no action know another', () => {
		const ACTIONS = 'nodes/GenerationGateway/actions/';
		const sideways = inside.filter(
			({ file, of }) =>
				file.startsWith(ACTIONS) && of.startsWith(ACTIONS) && !file.endsWith('/index.ts'),
		);
		expect(told(sideways)).toEqual([]);
	});

	it('keeps the tables and the client free of n8n', () => {
		const bound = imports.filter(
			({ file, of, kind }) =>
				MAY_IMPORT[floorOf(file)]?.length === 0 && of === 'n8n-workflow' && kind !== 'type',
		);
		expect(told(bound)).toEqual([]);
	});

	it('needs nothing at run time that the n8n of a user does not have', () => {
		// p-limit is allowed by n8n's review and missing from n8n 1.x.
		const there = ['n8n-workflow', 'zod', 'crypto', 'lodash', 'luxon'];
		const isThere = ({ of, kind }: Import) =>
			kind === 'type' || inside.some((known) => known.of === of) || there.includes(of);
		const missing = imports.filter((one) => !isThere(one));
		// Loaded only where an agent asks for a chat model, so that hosts without it load the rest of the package.
		expect(told(missing)).toEqual([
			'nodes/LmChatGenerationGateway/LmChatGenerationGateway.node.ts imports @n8n/ai-node-sdk (dynamic)',
		]);
	});

	it('leaves nothing relative outside of what ships', () => {
		const outside = imports.filter(({ of }) =>
			/^(\.\.|sandbox|scripts|test|bench|docs)(\/|$)/.test(of),
		);
		expect(told(outside)).toEqual([]);
	});

	it('keeps the sandbox a second reading', () => {
		const borrowed = filesOf('sandbox')
			.filter(isCode)
			.flatMap(importsOf)
			.filter(({ of }) => /^(nodes|credentials|scripts|test)\//.test(of));
		expect(told(borrowed)).toEqual([]);
	});

	it('has no drawer for whatever', () => {
		const all = ['nodes', 'credentials', 'sandbox', 'scripts', 'test', 'bench', 'examples'].flatMap(
			filesOf,
		);
		expect(
			all.filter((file) =>
				/(^|\/|\.|-)(utils?|helpers?|commons?|misc|shared)(\.|\/|-|$)/i.test(file),
			),
		).toEqual([]);
	});
});

describe('what is written from the code', () => {
	it.each([
		['models.md', modelsPage],
		['errors.md', errorsPage],
	])('is up to date in docs/%s', (page, write) => {
		expect(readFileSync(path.join(ROOT, 'docs', page), 'utf8')).toBe(write());
	});
});

describe('the menu', () => {
	const properties = listProperties();
	const optionsOf = (name: string) => properties.filter((property) => property.name === name);
	const resources = (optionsOf('resource')[0]?.options ?? []) as INodePropertyOptions[];
	const entries = resources.flatMap(({ value: resource }) =>
		optionsOf('operation')
			.filter(({ displayOptions }) => displayOptions?.show?.resource?.includes(resource))
			.flatMap(({ options, default: first }) =>
				(options as INodePropertyOptions[]).map((option) => ({
					resource: String(resource),
					option,
					first,
				})),
			),
	);

	it('has the entries that workflows of users rely on', () => {
		const names = entries.map(({ resource, option }) => `${resource}:${option.value}`);
		expect(names.sort()).toEqual([
			'asset:create',
			'asset:delete',
			'asset:get',
			'asset:getAll',
			'audio:transcribe',
			'audio:translate',
			'embedding:create',
			'image:generate',
			'model:getAll',
			'task:await',
			'task:cancel',
			'task:get',
			'task:submit',
			'text:chat',
			'text:generateContent',
			'text:message',
			'text:respond',
			'video:generate',
		]);
	});

	it.each(entries.map((entry) => [entry.resource, String(entry.option.value), entry] as const))(
		'does what %s:%s says',
		(resource, operation, { option, first }) => {
			expect(option.description).toMatch(/^[A-Z].{10,}[^.]$/);
			expect(option.action).toMatch(/^[A-Z][a-z]/);
			const { plan, perform, properties: own } = findOperation(resource, operation) ?? {};
			expect([typeof plan, typeof perform]).toEqual(['function', 'function']);
			expect(findOperation(resource, String(first))).toBeDefined();
			for (const { name, displayOptions } of own ?? [])
				expect([name, displayOptions?.show?.resource]).toEqual([name, [resource]]);
		},
	);
});

describe('the package', () => {
	it('brings nothing along and runs nothing when it is installed', () => {
		const { dependencies, overrides, bundledDependencies, optionalDependencies } =
			manifest as Record<string, unknown>;
		expect([dependencies, overrides, bundledDependencies, optionalDependencies]).toEqual([
			undefined,
			undefined,
			undefined,
			undefined,
		]);
		const lifecycle = Object.keys(manifest.scripts).filter((name) =>
			/^(pre|post)|^(install|prepare|publish|uninstall|dependencies)$/.test(name),
		);
		expect(lifecycle).toEqual([]);
		expect(manifest.peerDependencies).toEqual({ '@n8n/ai-node-sdk': '*', 'n8n-workflow': '*' });
	});

	it('names every node and credential that is there', () => {
		const built = (file: string) => `dist/${file.replace(/\.ts$/, '.js')}`;
		expect([...manifest.n8n.nodes].sort()).toEqual(
			shipped
				.filter((file) => file.endsWith('.node.ts'))
				.map(built)
				.sort(),
		);
		expect(manifest.n8n.credentials).toEqual(
			shipped.filter((file) => file.endsWith('.credentials.ts')).map(built),
		);
	});

	it('has a codex beside every node', () => {
		const nodes = shipped.filter((file) => file.endsWith('.node.ts'));
		const codex = filesOf('nodes').filter((file) => file.endsWith('.node.json'));
		expect(codex.sort()).toEqual(nodes.map((file) => file.replace(/\.ts$/, '.json')).sort());
	});

	it('packs what users need and nothing else', () => {
		const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--loglevel=silent'], {
			cwd: ROOT,
			encoding: 'utf8',
		});
		const files = (JSON.parse(packed) as { files: { path: string }[] }[])[0]!.files.map(
			(file) => file.path,
		);
		const codex = filesOf('nodes').filter((file) => file.endsWith('.node.json'));
		const icons = filesOf('icons');
		const schemas = Object.entries(outputSchemas).flatMap(([resource, operations]) =>
			Object.keys(operations).map(
				(operation) => `GenerationGateway/${SCHEMAS}/${resource}/${operation}`,
			),
		);
		const triggerSchemas = ['', '/output'].map(
			(name) => `GenerationGatewayTrigger/${SCHEMAS}${name}`,
		);

		expect(files.sort()).toEqual(
			[
				'LICENSE',
				'README.md',
				'package.json',
				'dist/package.js',
				...manifest.n8n.nodes,
				...manifest.n8n.credentials,
				...[...codex, ...icons].map((file) => `dist/${file}`),
				...[...schemas, ...triggerSchemas].map((name) => `dist/nodes/${name}.json`),
			].sort(),
		);
	});
});
