import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';
import { words } from './eslint.words.mjs';

/** Prettier wraps code at 100. What it leaves alone is comments; the sentences for users stay in one piece. */
const LONGEST_LINE = {
	code: 140,
	ignoreStrings: true,
	ignoreTemplateLiterals: true,
	ignoreRegExpLiterals: true,
};

const WAIT =
	'Wait with delay() of nodes/gateway/delay.ts: it ends when the user stops, and tests run it on virtual time.';

/** A test that a busy machine fails. Virtual time is a `clock`. */
const REAL_NOW =
	"CallExpression[callee.object.name=/^(Date|performance)$/][callee.property.name='now']";
const TIMED = {
	selector: [
		`CallExpression[callee.property.name=/^toBeLess/] ${REAL_NOW}`,
		`VariableDeclarator > BinaryExpression[operator='-'][right.type='Identifier'] > ${REAL_NOW}`,
	].join(', '),
	message: 'A busy machine fails this. Assert what has happened, or use virtual time.',
};

/** n8n's server gives it 250 ms. On a busy machine the workflow then fails. */
const REGEX_CONDITION = {
	selector: "Property[key.name='_cnd'] Property[key.name='regex']",
	message: 'List the values, or use another condition.',
};

/** Has no code, and names no field. */
const BARE_ERROR = {
	selector: "ThrowStatement > NewExpression[callee.name='Error']",
	message: 'Use item.failWith(field, …), or a GatewayError with a code.',
};

const LEFT_OUT = {
	selector: [
		'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(skip|only|todo)$/]',
		'CallExpression[callee.name=/^([xf])(it|test|describe)$/]',
	].join(', '),
	message: 'Tests are left out. Remove the test, or make it pass.',
};

/** What ships is held to n8n's rules for verified packages, everything to TypeScript's. */
export default tseslint.config(
	{ ignores: ['dist/**', 'output/**', 'node_modules/**', 'coverage/**'] },
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.recommended],
		rules: {
			'@typescript-eslint/no-non-null-assertion': 'off',
			'max-len': ['error', LONGEST_LINE],
		},
	},
	words,
	{
		files: ['test/**/*.test.ts'],
		rules: { 'no-restricted-syntax': [...words.rules['no-restricted-syntax'], TIMED, LEFT_OUT] },
	},
	{
		// n8n's own nodes are found and loaded by computed name.
		files: ['scripts/engine/packages.ts'],
		rules: { '@typescript-eslint/no-require-imports': 'off' },
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		languageOptions: { parserOptions: { projectService: true } },
		extends: [n8nCommunityNodesPlugin.configs.recommended],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: {
			'no-restricted-syntax': [...words.rules['no-restricted-syntax'], REGEX_CONDITION],
			'no-console': 'error',
			'@typescript-eslint/switch-exhaustiveness-check': [
				'error',
				{ considerDefaultExhaustiveForUnions: true },
			],
			'no-restricted-globals': ['error', { name: 'setTimeout', message: WAIT }],
			'no-restricted-imports': [
				'error',
				{ name: 'n8n-workflow', importNames: ['sleep'], message: WAIT },
			],
		},
	},
	{
		files: ['nodes/{Gen,Lm,Emb}*/**/*.ts'],
		rules: {
			'no-restricted-syntax': [...words.rules['no-restricted-syntax'], REGEX_CONDITION, BARE_ERROR],
		},
	},
	{
		// The clock itself.
		files: ['nodes/n8n/systemClock.ts'],
		rules: { 'no-restricted-imports': 'off' },
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
		},
	},
);
