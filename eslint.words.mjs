import tseslint from 'typescript-eslint';

/**
 * The vocabulary of the project: names are standard terms of the field, so that nobody needs a glossary.
 * Each old word stands with the term to use.
 */

/** Refused in any position of a name (`openDoor`, `door_key`, `DOORS`). */
const REPLACED = {
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

/** Ordinary English inside of a name; refused as the whole name only. */
const REPLACED_ALONE = {
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

/** Names that are not ours to choose, by the files that may use them. The last line that fits a file counts. */
const ALLOWED = [
	// `reply`: fastify's parameter of a handler.
	[['sandbox/**/*.ts', 'scripts/**/*.ts', 'test/**/*.ts'], ['reply']],
	// `entry` and `values`: n8n's names within the fixedCollections of Messages, Video List and its OpenAI node.
	[['bench/workflows/**/*.ts'], ['entry', 'values']],
	[['nodes/GenerationGateway/text/**/*.ts'], ['entry']],
	[['nodes/GenerationGateway/text/parameters.ts'], ['entry', 'values']],
	[['nodes/n8n/panel/{property,mergeCollections}.ts'], ['values']],
	[['test/{support,engine,host,n8n,matrix}/**/*.ts'], ['reply', 'entry']],
	[['test/n8n/panel.{choices,models}.test.ts'], ['reply', 'entry', 'values']],
	// A tool about the weather.
	[['test/sandbox/text/**/*.ts'], ['reply', 'weatherTool']],
	// An output key of Submit's dry run.
	[['nodes/GenerationGateway/tasks/dryRun.ts'], ['advice']],
	[['test/engine/budget.test.ts'], ['reply', 'entry', 'advice']],
	// An output key of Model > Get Many.
	[['nodes/GenerationGateway/actions/model/getAll.operation.ts'], ['gone']],
	[['scripts/schemas/outputSchemas.ts'], ['reply', 'gone']],
	// A method of LangChain's tools.
	[['nodes/GenerationGatewayModelTool/supplyTool.ts'], ['call']],
];

/** A name that is one of these words, or has one of the first kind as a part. */
function toRegex(allowed) {
	const parts = Object.keys(REPLACED);
	const anyCase = parts.map((word) => `[${word[0]}${word[0].toUpperCase()}]${word.slice(1)}`);
	const upperCase = parts.map((word) => word.toUpperCase());
	const whole = Object.keys(REPLACED_ALONE);
	const except = allowed.length ? `(?!(?:${allowed.join('|')})$)` : '';
	return [
		`^${except}(?:(?:${whole.join('|')})$`,
		// Where a word begins: at the start, after another mark, and between a small letter and a capital.
		`|(?:.*(?:[^A-Za-z]|(?<=[a-z0-9])(?=[A-Z])))?(?:${anyCase.join('|')})(?![a-z])`,
		`|(?:.*[^A-Za-z])?(?:${upperCase.join('|')})(?![A-Za-z]))`,
	].join('');
}

const ruleFor = (allowed) => ({
	'@typescript-eslint/naming-convention': [
		'error',
		{
			selector: 'default',
			format: null,
			custom: { regex: toRegex(allowed), match: false },
		},
		// The name comes from elsewhere, or is a text.
		{ selector: 'variable', modifiers: ['destructured'], format: null },
		{ selector: 'parameter', modifiers: ['destructured'], format: null },
		{ selector: 'objectLiteralProperty', modifiers: ['requiresQuotes'], format: null },
	],
});

export const words = [[['**/*.ts'], []], ...ALLOWED].map(([files, names]) => ({
	files,
	plugins: { '@typescript-eslint': tseslint.plugin },
	rules: ruleFor(names),
}));
