import ts from 'typescript';
import { parseSource, sourceFiles, visitNodes } from '../support/sourceFacts';
import { CALLS } from './calls';
import { FAULTS } from './faults';
import { momentsOf } from './matrix';

/** Functions through which something leaves n8n. */
const SENDING = new Set(['request', 'stream', 'httpRequest', 'httpRequestWithAuthentication']);
/** The functions for calls that only read, and for those that must not be repeated; each of their callers is a call. */
const OF_CALLS = ['read', 'write'];
/** Calls that are no call of their own: what the others go through, and what a row contains. */
const WITHIN = [
	// The one way of all calls to the gateway.
	'n8n/gatewayContext.ts send',
	...OF_CALLS.map((name) => `gateway/client.ts ${name}`),
	// The node's own resume link: within "callback to a suspended execution".
	'GenerationGateway/suspend/ownCall.ts callOwnLink',
];

function nameOfFunction(node: ts.Node): string {
	for (let at: ts.Node | undefined = node; at; at = at.parent)
		if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name)
			return at.name.getText();
	return '';
}

/** Where the code sends something: `file function`. */
function findSites(): string[] {
	const sites = new Set<string>();
	for (const file of sourceFiles('nodes'))
		visitNodes(parseSource(file), (node) => {
			if (!ts.isCallExpression(node)) return;
			const called = node.expression;
			const site = `${file.replace('nodes/', '')} ${nameOfFunction(node)}`;
			if (OF_CALLS.includes(called.getText()) && node.arguments[0]?.getText() === 'client')
				sites.add(site);
			const callee = ts.isPropertyAccessExpression(called) ? called : undefined;
			const isWrapped = callee?.name.text === 'call' && /\.http\w+\.call$/.test(called.getText());
			const method = isWrapped ? callee!.expression.getText().split('.').pop()! : callee?.name.text;
			const owner = callee?.expression.getText() ?? '';
			if (!method || !SENDING.has(method) || !/client|helpers/i.test(owner)) return;
			sites.add(site);
		});
	return [...sites];
}

describe('the matrix', () => {
	it('has a row for every call of the code, and no other', () => {
		const listed = [...new Set([...CALLS.map(({ site }) => site), ...WITHIN])];
		const sites = findSites();
		expect([
			...sites
				.filter((site) => !listed.includes(site))
				.map((site) => `${site}: has no row in test/matrix/calls.ts`),
			...listed
				.filter((site) => !sites.includes(site))
				.map((site) => `${site}: in test/matrix/calls.ts, but sends nothing`),
		]).toEqual([]);
	});

	it('has thousands of cells', () => {
		const cells = CALLS.reduce((sum, row) => sum + momentsOf(row).length * FAULTS.length, 0);
		expect(cells).toBeGreaterThan(5_000);
	});
});
