/**
 * Loads nodes in a Node process that has loaded nothing but what every n8n has loaded already, and says
 * what that took. Its argument is `{ host, files, parameters, rounds }`; it prints one line of JSON.
 */
import { createRequire } from 'node:module';

const { host, files, parameters, rounds } = JSON.parse(process.argv[2]);
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

const panels = Object.fromEntries(
	Object.entries(parameters).map(([name, panel]) => {
		const whole = resolve(panel);
		const parametersMs = medianMs(() => resolve(whole));
		const issuesMs = medianMs(() =>
			NodeHelpers.getNodeParametersIssues(description.properties, node(whole), description),
		);
		return [name, { parametersMs, issuesMs }];
	}),
);
console.log(
	JSON.stringify({
		loadMs,
		heapMb,
		properties: description.properties.length,
		kilobytes: JSON.stringify(description).length / 1024,
		panels,
	}),
);
