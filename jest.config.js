/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/host/'],
	transform: { '\\.[tj]s$': '<rootDir>/test/support/transform.js' },
	testTimeout: 30_000,
	maxWorkers: 2,
};
