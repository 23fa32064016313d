/**
 * Loads nodes in a Node process that has loaded nothing but what every n8n has loaded already, and says
 * what that took, and what resolving the panel of the first node takes. Its argument is
 * `{ host, files, panel, opened, rounds }`; it prints one line of JSON.
 */
import { createRequire } from 'node:module';

const { host, files, panel, opened, rounds } = JSON.parse(process.argv[2]);
const require = createRequire(host);
const { NodeHelpers } = require('n8n-workflow');
require('zod');

globalThis.gc();
const heapBefore = process.memoryUsage().heapUsed;
const began = performance.now();
const loaded = files.map((file) => {
	const [Type] = Object.values(require(file)).filter((value) => typeof value === 'function');
	return new Type();
});
const loadMs = performance.now() - began;
globalThis.gc();
const heapMb = (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20;

const [first] = loaded;
const { description } = first.nodeVersions ? first.nodeVersions[first.currentVersion] : first;
const beganReading = performance.now();
const kilobytes = JSON.stringify(description).length / 1024;
const readMs = performance.now() - beganReading;
const [version] = [description.version].flat().slice(-1);
const node = (parameters) => ({
	id: '1',
	name: 'Node',
	type: description.name,
	typeVersion: description.defaultVersion ?? version,
	position: [0, 0],
	parameters,
});
const resolve = (parameters) =>
	NodeHelpers.getNodeParameters(
		description.properties,
		parameters,
		true,
		false,
		node(parameters),
		description,
	);

function medianMs(work) {
	const times = [];
	for (let round = 0; round < rounds; round += 1) {
		const start = performance.now();
		work();
		times.push(performance.now() - start);
	}
	return times.sort((a, b) => a - b)[rounds >> 1];
}

const whole = resolve(panel);
const parameters = () => resolve(whole);
const issues = () =>
	NodeHelpers.getNodeParametersIssues(description.properties, node(whole), description);
const parametersMs = medianMs(parameters);
const issuesMs = medianMs(issues);
for (let round = 0; round < 10 * rounds; round += 1) {
	parameters();
	issues();
}
const shown = Object.fromEntries(
	Object.entries(opened).map(([name, stored]) => {
		const full = resolve(stored);
		const fields = description.properties.filter((property) =>
			NodeHelpers.displayParameter(full, property, node(full), description),
		);
		return [name, fields.length];
	}),
);
console.log(
	JSON.stringify({
		loadMs,
		readMs,
		heapMb,
		properties: description.properties.length,
		kilobytes,
		parametersMs,
		issuesMs,
		warmParametersMs: medianMs(parameters),
		warmIssuesMs: medianMs(issues),
		shown,
	}),
);
