/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/host/'],
	transform: { '\\.[tj]s$': '<rootDir>/test/support/transform.js' },
	// ES modules among the packages: jest reads CommonJS only.
	transformIgnorePatterns: ['^(?!.*/node_modules/sanitize-html/).*/node_modules/(?!cookie/)'],
	testTimeout: 30_000,
	maxWorkers: 2,
	maxConcurrency: 2,
};
