/**
 * The vocabulary of the project: names are standard terms of the field, so that nobody needs a glossary.
 * Each word stands with the term to use instead.
 */

/** Refused in any position of a declared name (`openDoor`, `door_key`, `DOORS`). */
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
	pacer: 'limiter',
	doubt: 'markStale',
	doubted: 'isStale',
	lent: 'remembered',
	believe: 'assume',
	believed: 'isAssumed',
	suspicion: 'hypothesis',
	surprise: 'hypothesis',
	surprised: 'hypothesis',
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
	keptFor: 'withTtl',
	takeTurn: 'acquire',
	endTurn: 'release',
};

/** What a file declares. Names that come from elsewhere are not ours to choose. */
const DECLARED = [
	':matches(VariableDeclarator, FunctionDeclaration, ClassDeclaration) > Identifier.id',
	':matches(TSTypeAliasDeclaration, TSInterfaceDeclaration) > Identifier.id',
	':matches(MethodDefinition, PropertyDefinition) > Identifier.key',
];

/** Held to the first list only: `reply` is a term of Fastify. */
const PARAMETERS = ':function > Identifier.params';

/** A name with the word as a part: at the start or after a small letter or a mark, and with nothing small behind it. */
const asPart = (word) => {
	const [first, rest] = [word[0], word.slice(1)];
	const [upper, all] = [first.toUpperCase(), word.toUpperCase()];
	return `(^|[^A-Za-z])${first}${rest}(?![a-z])|(^|[^A-Z])${upper}${rest}(?![a-z])|(^|[^A-Za-z])${all}(?![A-Za-z])`;
};
const asWhole = (word) => `^${word}$`;

const refuse = (words, toPattern, places = DECLARED) =>
	Object.entries(words).map(([word, term]) => ({
		selector: places.map((place) => `${place}[name=/${toPattern(word)}/]`).join(', '),
		message: `"${word}" is no term of the field. Name it ${term}.`,
	}));

export const words = {
	files: ['**/*.ts'],
	rules: {
		'no-restricted-syntax': [
			'error',
			...refuse(REPLACED, asPart, [...DECLARED, PARAMETERS]),
			...refuse(REPLACED_ALONE, asWhole),
		],
	},
};
