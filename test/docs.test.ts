import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { awaitOptions, submitOptions } from '../nodes/GenerationGateway/tasks/parameters';
import manifest from '../package.json';

/** What the pages name must be there: files, commands, tests and options. */
const ROOT = path.join(__dirname, '..');
const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8');

const pagesIn = (folder: string) =>
	readdirSync(path.join(ROOT, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => path.posix.join(folder, name));
const PAGES = ['.', 'docs', 'docs/decisions', 'sandbox'].flatMap(pagesIn);

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

describe('the options in README.md', () => {
	const labels = matchesOf(read('README.md'), /^\| ([^|]+) \|/gm).flatMap((cell) =>
		cell.split(', '),
	);

	it.each(
		[submitOptions, awaitOptions]
			.flatMap(({ options }) => options as INodeProperties[])
			.map(({ displayName }) => displayName),
	)('have %s', (label) => expect(labels).toContain(label));
});

describe('the examples in README.md', () => {
	const linked = matchesOf(read('README.md'), /\]\((examples\/[^)]+\.json)\)/g);

	it.each(filesBelow('examples'))('have %s', (file) => expect(linked).toContain(file));
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
