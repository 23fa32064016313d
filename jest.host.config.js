/** Tests in real n8n versions; they install gigabytes once and take minutes, so they run by their own command. */
module.exports = {
	...require('./jest.config.js'),
	roots: ['<rootDir>/test/host'],
	testPathIgnorePatterns: ['/node_modules/'],
	testTimeout: 1_200_000,
	maxWorkers: 1,
};
