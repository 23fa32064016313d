import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/**
 * The vocabulary of the project: names are standard terms of the field, so that nobody needs a glossary.
 * A word of `REPLACED` is refused as a declared name, and as a part of one (`openDoor`, `door_key`, `DOORS`).
 */
const ROOT = path.join(__dirname, '..');

const CHECKED = [
	'nodes',
	'credentials',
	'sandbox',
	'scripts',
	'bench',
	'test/GenerationGateway',
	'test/GenerationGatewayTrigger',
	'test/LmChatGenerationGateway',
	'test/catalog',
	'test/engine',
	'test/gateway',
	'test/host',
	'test/n8n',
	'test/sandbox',
	'test/scripts',
	'test/matrix',
	'test/support',
];

/** Old words with their standard term. They are refused in any position of a name. */
const REPLACED: Record<string, string> = {
	sheet: 'spec',
	sheets: 'specs',
	door: 'client',
	doors: 'clients',
	standing: 'a noun for what it is',
	advice: 'hint',
	hiding: 'redact',
	says: 'description',
	said: 'output',
	everyday: 'primary',
	gone: 'deprecated',
	cites: 'references',
	look: 'poll',
	looks: 'polls',
	looked: 'polled',
	looking: 'polling',
	pace: 'pollInterval',
	pause: 'delay',
	patience: 'pollOptions or timeout',
	siblings: 'coordinator',
	turns: 'limit or messages',
	park: 'suspend',
	parks: 'suspends',
	parked: 'suspended',
	parking: 'suspending',
	wake: 'resume',
	wakes: 'resumes',
	woken: 'resumed',
	ledger: 'RunBudget or TaskStore',
	draft: 'MessageInput',
	ask: 'complete or request',
	asks: 'requests',
	asked: 'requested',
	speech: 'audio',
	rehearse: 'deploy or dryRun',
	rehearsed: 'dryRunResult',
	told: 'describe or message',
	storm: 'faultInjection',
	weather: 'faultInjection',
	gust: 'fault',
	stage: 'BenchHost',
	strike: 'teardown or injectFault',
	strikes: 'faults',
	struck: 'injected',
	shelf: 'assetStore',
	furnished: 'create…',
	judge: 'assert…',
	judged: 'assert…',
	chance: 'random',
	dice: 'random',
	fate: 'outcome',
	fates: 'outcomes',
};

/** Old words that are ordinary English inside of a name; they are refused as the whole name only. */
const REPLACED_ALONE: Record<string, string> = {
	Host: 'context, or N8nHost for a real n8n',
	Call: 'Request or ToolCall',
	Reply: 'Response',
	call: 'request',
	reply: 'response',
	compile: 'catalog',
	values: 'enum or items',
	idle: 'ignored',
	without: 'omit',
	instead: 'overrides',
	entry: 'item',
	persist: 'withRetry',
	within: 'withTimeout',
	reach: 'privateAddress',
	delivered: 'toItem',
	flat: 'toItem',
	writing: 'text',
	shape: 'toMessages',
	own: 'getOwn or a noun',
	house: 'options',
	visitor: 'fixture',
	guest: 'fixture',
};

/** Names that are not ours to choose, each with its owner. */
const ALLOWED: { name: string; in: RegExp; because: string }[] = [
	{ name: 'reply', in: /^(sandbox|scripts|test)\//, because: "fastify's parameter of a handler" },
	{ name: 'values', in: /^bench\/workflows\//, because: "the OpenAI node's fixedCollection" },
	{
		name: 'values',
		in: /^(nodes\/(n8n\/panel\/(property|mergeCollections)|GenerationGateway\/text\/parameters)|test\/n8n\/panel\.(choices|models)\.test)\.ts$/,
		because: "n8n's name for the fields of a fixedCollection",
	},
	{
		name: 'entry',
		in: /^(bench\/workflows|test\/(support|engine|host|n8n|matrix)|nodes\/GenerationGateway\/text)\//,
		because: 'the fixedCollection of Messages and Video List, as workflows store it',
	},
	{
		name: 'advice',
		in: /^(nodes\/GenerationGateway\/tasks\/dryRun|test\/engine\/budget\.test)\.ts$/,
		because: "an output key of Submit's dry run",
	},
	{
		name: 'gone',
		in: /^(nodes\/GenerationGateway\/actions\/model\/getAll\.operation|scripts\/schemas\/outputSchemas)\.ts$/,
		because: 'an output key of Model > Get Many',
	},
	{
		name: 'call',
		in: /^nodes\/GenerationGatewayModelTool\/supplyTool\.ts$/,
		because: "a method of LangChain's tools",
	},
	{ name: 'weatherTool', in: /^test\/sandbox\/text\//, because: 'a tool about the weather' },
	{ name: 'reply', in: /^sandbox\/text\/completion\.ts$/, because: 'a field of generated JSON' },
];

interface Declared {
	name: string;
	file: string;
	line: number;
	/** A property of an object literal: its name may come from a type that is declared elsewhere. */
	isLiteral: boolean;
}

function filesIn(folder: string): string[] {
	return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
		const name = `${folder}/${entry.name}`;
		if (entry.isDirectory()) return filesIn(name);
		return /\.(ts|js|mjs)$/.test(name) ? [name] : [];
	});
}

/** A shorthand (`{ values }`) takes its name from a declaration elsewhere, which is checked where it stands. */
function isDeclaration(node: ts.Node): node is ts.NamedDeclaration & { name: ts.Node } {
	if (ts.isBindingElement(node))
		return node.propertyName !== undefined || ts.isArrayBindingPattern(node.parent);
	return (
		ts.isVariableDeclaration(node) ||
		ts.isParameter(node) ||
		ts.isFunctionLike(node) ||
		ts.isClassLike(node) ||
		ts.isInterfaceDeclaration(node) ||
		ts.isTypeAliasDeclaration(node) ||
		ts.isTypeParameterDeclaration(node) ||
		ts.isEnumDeclaration(node) ||
		ts.isEnumMember(node) ||
		ts.isPropertySignature(node) ||
		ts.isPropertyDeclaration(node) ||
		ts.isPropertyAssignment(node) ||
		ts.isNamedTupleMember(node)
	);
}

function declaredIn(file: string, text = readFileSync(path.join(ROOT, file), 'utf8')): Declared[] {
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
	const found: Declared[] = [
		{ name: path.basename(file).split('.')[0]!, file, line: 1, isLiteral: false },
	];
	const walk = (node: ts.Node): void => {
		if (isDeclaration(node) && node.name && ts.isIdentifier(node.name)) {
			const { line } = source.getLineAndCharacterOfPosition(node.name.getStart());
			const isLiteral = ts.isPropertyAssignment(node);
			found.push({ name: node.name.text, file, line: line + 1, isLiteral });
		}
		ts.forEachChild(node, walk);
	};
	walk(source);
	return found;
}

/** `openDoorAt` → open, door, at; `MAX_DOORS` → max, doors; `TTLCache` → ttl, cache. */
const partsOf = (name: string): string[] =>
	name
		.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
		.filter(Boolean)
		.map((part) => part.toLowerCase());

const isAllowed = ({ name, file }: Declared) =>
	ALLOWED.some((allowed) => allowed.name === name && allowed.in.test(file));

function problemsIn(declared: readonly Declared[]): string[] {
	return declared
		.filter((one) => !isAllowed(one))
		.flatMap(({ name, file, line }) => {
			const part = partsOf(name).find((word) => Object.hasOwn(REPLACED, word));
			const term = part
				? REPLACED[part]
				: Object.hasOwn(REPLACED_ALONE, name)
					? REPLACED_ALONE[name]
					: undefined;
			return term ? [`${file}:${line} ${name} → ${term}`] : [];
		});
}

describe('the words', () => {
	const files = CHECKED.flatMap(filesIn);
	const declared = files.flatMap((file) => declaredIn(file));

	it('are standard terms in every name that is declared', () => {
		expect(problemsIn(declared)).toEqual([]);
	});

	it('are read from every kind of declaration', () => {
		const source = `
			enum Sheet { doorKind }
			interface Weather { shelf: string; judge(): void }
			type Storm<Gust> = { ledger: Gust };
			class Host { patience = 1; wake(told: string) {} }
			const { a: siblings } = { openDoor: 1 };
			const [look] = [1];
			function ask(PARKED_AT: number) { let isStruck = (chance: number) => chance; }`;
		const names = problemsIn(declaredIn('ledger.ts', source)).map((line) => line.split(' ')[1]);
		expect(names).toEqual([
			...['ledger', 'Sheet', 'doorKind', 'Weather', 'shelf', 'judge', 'Storm', 'Gust', 'ledger'],
			...['Host', 'patience', 'wake', 'told', 'siblings', 'openDoor', 'look', 'ask', 'PARKED_AT'],
			...['isStruck', 'chance'],
		]);
	});

	it('are allowed as exceptions only where one is needed', () => {
		const unused = ALLOWED.filter(
			(allowed) =>
				!declared.some(({ name, file }) => allowed.name === name && allowed.in.test(file)),
		);
		expect(unused).toEqual([]);
	});

	it('are checked in every folder', () => {
		const folders = ['nodes', 'credentials', 'sandbox', 'scripts', 'bench'].concat(
			readdirSync(path.join(ROOT, 'test'), { withFileTypes: true })
				.filter((entry) => entry.isDirectory() && filesIn(`test/${entry.name}`).length > 0)
				.map(({ name }) => `test/${name}`),
		);
		expect([...CHECKED].sort()).toEqual(folders.sort());
	});
});
