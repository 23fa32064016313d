const { availableParallelism } = require('node:os');

/**
 * Tests that take long: `npm run test:long`. All others are `npm test`; `npx jest <path>` finds both.
 * A test belongs here when its file alone takes more than 12 s on two quiet cores.
 */
const LONG = [
	'GenerationGateway/account/.*\\.model',
	'GenerationGatewayTrigger/(month|trigger\\.model)',
	'engine/campaign',
	'engine/memory',
	'gateway/rateLimit/(learnedLimit|processes|slowRefusals)',
	'matrix/.*',
	'mutants',
	// Needs exiftool, which `npm test` does not.
	'n8n/markAsAi\\.exiftool',
	'scripts/.*',
].map((name) => `/test/${name}\\.test\\.ts$`);

/** What both share. */
const shared = {
	testEnvironment: 'node',
	transform: { '\\.[tj]s$': '<rootDir>/test/support/transform.js' },
	// ES modules among the packages: jest reads CommonJS only.
	transformIgnorePatterns: ['^(?!.*/node_modules/sanitize-html/).*/node_modules/(?!cookie/)'],
};

/** @type {import('jest').Config} */
module.exports = {
	projects: [
		{
			...shared,
			displayName: 'short',
			roots: ['<rootDir>/test'],
			testMatch: ['**/*.test.ts'],
			testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/host/', ...LONG],
		},
		{ ...shared, displayName: 'long', roots: ['<rootDir>/test'], testRegex: LONG },
	],
	// For tests that hang: none of the short ones takes a tenth of it on a quiet machine.
	testTimeout: 120_000,
	// Most of a test's time is waiting for a server on this machine, so that each core has three of them.
	maxWorkers: 3 * availableParallelism(),
	maxConcurrency: 2,
};
