import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodePropertyOptions } from 'n8n-workflow';
import { errorsPage } from '../scripts/docs/errorsPage';
import { modelsPage } from '../scripts/docs/modelsPage';
import { listKnownModels } from '../nodes/catalog/modelList';
import { modelSpecs } from '../nodes/catalog/modelSpec';
import { listPrices } from '../nodes/catalog/pricing';
import { properties, resources as menu } from '../nodes/GenerationGateway/actions';
import { outputSchemas } from '../scripts/schemas/outputSchemas';
import manifest from '../package.json';
import { assertBuilt } from '../scripts/build';
import listedParameters from './fixtures/parameters.json';
import { storedParameters } from './support/parameters';

const ROOT = path.join(__dirname, '..');
/** Where the output schemas of a node lie. */
const SCHEMAS = '__schema__/v1.0.0';

function filesOf(folder: string): string[] {
	return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((found) => {
		const name = `${folder}/${found.name}`;
		return found.isDirectory() ? filesOf(name) : [name];
	});
}

const isCode = (file: string) => file.endsWith('.ts') && !file.endsWith('.d.ts');
const shipped = [...filesOf('nodes'), ...filesOf('credentials')].filter(isCode);

describe('what is written from the code', () => {
	it.each([
		['models.md', modelsPage],
		['errors.md', errorsPage],
	])('is in docs/%s, as npx tsx scripts/docs/index.ts writes it', (page, write) => {
		expect(readFileSync(path.join(ROOT, 'docs', page), 'utf8')).toBe(write());
	});

	it('has every price of every model', () => {
		const lines = modelsPage().split('\n');
		const missing = modelSpecs.flatMap(({ id, price, deprecated }) => {
			const about = lines.filter((line) => line.includes(`\`${id}\``)).join('\n');
			return (deprecated ? [] : listPrices(price))
				.filter((usd) => !about.includes(` ${usd}`))
				.map((usd) => `${id}: ${usd}`);
		});
		expect(missing).toEqual([]);
	});
});

describe('a fact about a model', () => {
	it('stands in nodes/catalog: no other file names a model, but for the defaults of the lists', () => {
		const ids = new Set([...modelSpecs, ...listKnownModels()].map(({ id }) => id));
		const others = shipped.filter((file) => !file.startsWith('nodes/catalog/'));
		const named = others.flatMap((file) => {
			const texts = readFileSync(path.join(ROOT, file), 'utf8').matchAll(/(['"`])(\S+?)\1/g);
			return [...texts].filter(([, , text]) => ids.has(text!)).map(() => file);
		});
		expect(named.filter((file) => file !== 'nodes/n8n/modelLocator.ts')).toEqual([]);
	});
});

describe('the menu', () => {
	const optionsOf = (name: string) => properties.filter((property) => property.name === name);
	const resources = (optionsOf('resource')[0]?.options ?? []) as INodePropertyOptions[];
	const operations = resources.flatMap(({ value: resource }) =>
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
		const names = operations.map(({ resource, option }) => `${resource}:${option.value}`);
		const listed = [
			'asset:create',
			'asset:delete',
			'asset:get',
			'asset:getAll',
			'audio:transcribe',
			'audio:translate',
			'embedding:create',
			'image:generate',
			'model:compare',
			'model:getAll',
			'task:await',
			'task:cancel',
			'task:contactSheet',
			'task:get',
			'task:submit',
			'text:chat',
			'text:generateContent',
			'text:message',
			'text:respond',
			'video:generate',
		];
		expect([
			...names
				.filter((name) => !listed.includes(name))
				.map((name) => `${name} is not listed in test/architecture.test.ts`),
			...listed.filter((name) => !names.includes(name)).map((name) => `${name} is gone`),
		]).toEqual([]);
	});

	it.each(operations.map((one) => [one.resource, String(one.option.value), one] as const))(
		'does what %s:%s says',
		(resource, operation, { option, first }) => {
			expect(option.description).toMatch(/^[A-Z].{10,}[^.]$/);
			expect(option.action).toMatch(/^[A-Z][a-z]/);
			const { plan, perform } = menu[resource]?.[operation]?.operation ?? {};
			expect([typeof plan, typeof perform]).toEqual(['function', 'function']);
			expect(menu[resource]).toHaveProperty(String(first));
		},
	);
});

describe('the parameters', () => {
	const LIST = 'test/fixtures/parameters.json';
	const found = storedParameters();

	it('are listed for every node and credential', () =>
		expect(Object.keys(listedParameters).sort()).toEqual(Object.keys(found).sort()));

	it.each(Object.entries<Record<string, string>>(listedParameters))(
		'of %s keep their names and defaults: n8n does not store a value that is the default',
		(node, listed) => {
			const stored = found[node] ?? {};
			const all = [...new Set([...Object.keys(listed), ...Object.keys(stored)])];
			expect(
				all.flatMap((name) => {
					const [before, now] = [listed[name], stored[name]];
					if (before === now) return [];
					if (before === undefined)
						return [`Not in ${LIST}, ${node}: ${JSON.stringify(name)}: ${JSON.stringify(now)}`];
					return now === undefined
						? [`${name} of ${node} is gone: saved workflows have values under it`]
						: [
								`The default of ${name} of ${node} was ${before} and is ${now}. If saved workflows then do the same, correct ${LIST}`,
							];
				}),
			).toEqual([]);
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
		// Otherwise `npm install` puts a second n8n-workflow beside the package, and agents cannot read the Model Tool's schema.
		const isOptional = { optional: true };
		expect(manifest.peerDependenciesMeta).toEqual({
			'@n8n/ai-node-sdk': isOptional,
			'n8n-workflow': isOptional,
		});
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

	it('has no codex in a node: n8n would not read the file beside it', () => {
		const nodes = shipped.filter((file) => file.endsWith('.node.ts'));
		const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
		expect(nodes.filter((file) => /\bcodex\b/.test(textOf(file)))).toEqual([]);
	});

	it('packs what users need and nothing else', () => {
		assertBuilt();
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
