import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { EmbeddingsGenerationGateway } from '../nodes/EmbeddingsGenerationGateway/EmbeddingsGenerationGateway.node';
import { resources } from '../nodes/GenerationGateway/actions';
import { GenerationGatewayTrigger } from '../nodes/GenerationGatewayTrigger/GenerationGatewayTrigger.node';
import { LmChatGenerationGateway } from '../nodes/LmChatGenerationGateway/LmChatGenerationGateway.node';
import { toTitle } from '../nodes/catalog/labels';
import { submitOptions } from '../nodes/GenerationGateway/tasks/parameters';
import { cancelAwaitedOnStop } from '../nodes/GenerationGateway/tasks/waitOptions';
import { maxSilence } from '../nodes/GenerationGateway/text/parameters';
import manifest from '../package.json';
import { VERSIONS } from '../scripts/host/versions';
import { findParameters } from './support/optionParameters';

/** What the pages name must be there: files, commands, tests and options. */
const ROOT = path.join(__dirname, '..');
const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8');

const pagesIn = (folder: string) =>
	readdirSync(path.join(ROOT, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => path.posix.join(folder, name));
const PAGES = ['.', 'docs', 'docs/decisions', 'sandbox', 'examples'].flatMap(pagesIn);

const matchesOf = (text: string, pattern: RegExp) =>
	[...text.matchAll(pattern)].map(([, found]) => found!);

describe.each(PAGES)('%s', (page) => {
	const text = read(page);

	it('links to files that are there', () => {
		const links = matchesOf(text, /\]\((?!https?:|#)([^)#\s]+)/g);
		const missing = links.filter((link) => !existsSync(path.join(ROOT, path.dirname(page), link)));
		expect(missing).toEqual([]);
	});

	it('names files that are there', () => {
		const named = matchesOf(
			text,
			/`((?:nodes|credentials|test|scripts|sandbox|bench|docs|examples)\/[\w./-]*)`/g,
		);
		expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
	});

	it('names commands that are there', () => {
		const commands = matchesOf(text, /npm run ([\w:-]+)/g);
		expect(commands.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
		const tests = matchesOf(text, /npx jest ((?:test\/[\w./]+ ?)+)/g).flatMap((list) =>
			list.trim().split(' '),
		);
		const isThere = (start: string) => filesBelow('test').some((file) => file.startsWith(start));
		expect(tests.filter((start) => !isThere(start))).toEqual([]);
	});
});

function filesBelow(folder: string): string[] {
	return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
		path.posix.join(folder, file.replaceAll(path.sep, '/')),
	);
}

describe('pictures', () => {
	const pictures = ['docs/images', 'icons', 'nodes'].flatMap(filesBelow);
	const drawings = pictures.filter((file) => file.endsWith('.svg'));
	/** A browser shows no picture of which one attribute is cut short by a quote. */
	const TAG =
		/<\?[^<>]*\?>|<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\/?[\w:]+(\s+[\w:-]+="[^"<>]*")*\s*\/?>/g;

	it.each(drawings)('%s is well-formed', (file) => {
		expect(read(file).replace(TAG, '')).not.toMatch(/[<>]/);
	});
});

describe('the options in docs/options.md', () => {
	const rows = new Map(
		[...read('docs/options.md').matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].map(
			([, label, unlessSet]) => [label!, unlessSet!] as const,
		),
	);
	const listed = ['image', 'video', 'task']
		.flatMap((resource) => Object.values(resources[resource]!))
		.flatMap(({ operation }) => operation.properties.filter(({ name }) => name === 'options'))
		.flatMap(({ options }) => options as INodeProperties[]);
	const shown = new Set(listed.map(({ displayName }) => displayName));
	const parameters = findParameters()
		.map(({ parameter }) => parameter)
		.filter(({ property }) => listed.some(({ name }) => name === property.name));

	it('have every option', () => {
		const missing = [...shown].filter((label) => !rows.has(label));
		expect(missing.map((label) => `${label} is not in docs/options.md`)).toEqual([]);
	});

	it('say at the top which ones appear once another is added', () => {
		const options = submitOptions.options as INodeProperties[];
		const isLater = ({ displayOptions }: INodeProperties) =>
			'/options' in (displayOptions?.show ?? {});
		const atFirst = options.filter((option) => !isLater(option)).map(({ name }) => name);
		const later = options.filter(({ name }) => !atFirst.includes(name));
		const [top = ''] = read('docs/options.md').split('\n## ');
		const missing = later
			.map(({ displayName }) => displayName.replace(/ \(.*/, ''))
			.filter((label) => !top.includes(`**${label}**`));
		expect(missing.map((label) => `${label} is not at the top of docs/options.md`)).toEqual([]);
	});

	it('are compared with the code', () => {
		// The only one that is no parameter of nodes/n8n/parameters.ts.
		const compared = ['Callback Events', ...parameters.map(({ property }) => property.displayName)];
		const missing = [...shown].filter((label) => !compared.includes(label));
		expect(missing.map((label) => `${label} is not exported by a file of options`)).toEqual([]);
	});

	/** Those that are in no column: of two options with one label, and of texts. */
	const inWords = new Map([
		[cancelAwaitedOnStop.property, /\| Cancel Tasks on Stop .*In Task > Await it is (\w+)/],
		[maxSilence.property, /\*\*Max Silence \(Seconds\)\*\*: [^,]*, ([\d,]+) unless set/],
	]);

	it.each([...parameters, { property: maxSilence.property, fallback: maxSilence.fallback }])(
		'say what counts unless $property.displayName is set',
		({ property, fallback }) => {
			const words = inWords.get(property);
			const stated = words
				? words.exec(read('docs/options.md'))?.[1]
				: rows.get(property.displayName);
			expect(stated).toBe(describeFallback(property, fallback));
		},
	);
});

describe('the options of the other nodes in docs/options.md', () => {
	const [, section = ''] = read('docs/options.md').split('\n## Other nodes\n');
	const nodes = [GenerationGatewayTrigger, LmChatGenerationGateway, EmbeddingsGenerationGateway];
	const options = nodes
		.flatMap((Node) => new Node().description.properties)
		.filter(({ name }) => name === 'options')
		.flatMap((collection) => collection.options as INodeProperties[]);

	it.each(options)('have $displayName', ({ name, displayName, default: shown }) => {
		const hasDefault = ['batchSize', 'maxRetries', 'timeout'].includes(name);
		expect(section).toContain(`**${displayName}**${hasDefault ? ` (${shown})` : ''}`);
	});
});

function describeFallback({ displayName, options }: INodeProperties, fallback: unknown): string {
	if (displayName === 'Concurrency') return 'depends';
	if (fallback === undefined && !options)
		return displayName.includes('Limit') ? 'no limit' : 'none';
	if (fallback === undefined) return 'depends';
	if (typeof fallback === 'boolean') return fallback ? 'on' : 'off';
	if (typeof fallback === 'number') return fallback.toLocaleString('en-US');
	const choice = (options as INodePropertyOptions[])?.find(({ value }) => value === fallback);
	return choice?.name ?? 'empty';
}

describe('the examples in examples/README.md', () => {
	const linked = matchesOf(read('examples/README.md'), /\]\(([^)]+\.json)\)/g);
	const files = filesBelow('examples').filter((file) => file.endsWith('.json'));

	it.each(files)('have %s', (file) => expect(linked).toContain(path.basename(file)));
});

describe('the pages in docs/decisions/README.md', () => {
	const linked = matchesOf(read('docs/decisions/README.md'), /\]\(([^)]+\.md)\)/g);
	const pages = readdirSync(path.join(ROOT, 'docs/decisions')).filter(
		(name) => name !== 'README.md',
	);

	it.each(pages)('have %s', (page) => expect(linked).toContain(page));
});

describe('README.md', () => {
	it.each(Object.entries(resources))('names every operation of %s', (resource, operations) => {
		const displayName = toTitle(resource);
		const rows = read('README.md')
			.split('\n')
			.map((line) => line.split(' | '));
		const named = rows
			.filter(([first = '']) => first.replace('| ', '').split(', ').includes(displayName))
			.flatMap(([, operation = '']) => operation.split(', '));
		const missing = Object.values(operations).filter(({ name }) => !named.includes(name));
		expect(missing.map(({ name }) => `${displayName} > ${name} is not in README.md`)).toEqual([]);
	});

	it('has badges that are true', () => {
		const badges = matchesOf(read('README.md'), /img\.shields\.io\/badge\/([^)]+)-\w+\)/g);
		const versions = VERSIONS.map(({ n8n }) => n8n.split('.').slice(0, 2).join('.'));
		const node = manifest.engines.node.replace('>=', '');

		expect(manifest).not.toHaveProperty('dependencies');
		expect(badges.map((badge) => decodeURIComponent(badge).replaceAll('_', ' '))).toEqual([
			`n8n-${versions.at(-1)} to ${versions[0]}`,
			`Node-≥ ${node}`,
			'dependencies-none',
			`license-${manifest.license}`,
		]);
	});

	it('can be read in five minutes', () => {
		const words = read('README.md').split(/\s+/).length;
		expect(
			words > 1_300 ? `README.md has ${words} words; shorten it by ${words - 1_300}` : '',
		).toBe('');
	});
});

describe('the tests in docs/threats.md', () => {
	const rows = matchesOf(read('docs/threats.md'), /^\|.*\| ([^|]*) \|$/gm);
	const named = rows.flatMap((cell) =>
		[...cell.matchAll(/`([\w./]+\.test\.ts)`((?: "[^"]+",?)*)/g)].map(
			([, file, names]) => [file!, matchesOf(names ?? '', /"([^"]+)"/g)] as const,
		),
	);

	it('are read', () => expect(named.length).toBeGreaterThan(15));
	it.each(named)('are there: %s %j', (file, names) => {
		const source = read(`test/${file}`);
		expect(names.filter((name) => !source.includes(name))).toEqual([]);
	});
});
