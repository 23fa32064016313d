const [{ testEnvironment, transform, transformIgnorePatterns }] =
	require('./jest.config.js').projects;

/** Tests in real n8n versions; they install gigabytes once and take minutes, so they run by their own command. */
module.exports = {
	testEnvironment,
	transform,
	transformIgnorePatterns,
	roots: ['<rootDir>/test/host'],
	testMatch: ['**/*.test.ts'],
	testTimeout: 1_200_000,
	maxWorkers: 1,
	maxConcurrency: 2,
};
