import ts from 'typescript';
import type { RequestKind } from '../../nodes/gateway/retry';
import { joinWords } from '../../nodes/catalog/labels';
import { parseSource, sourceFiles, visitNodes } from '../support/sourceFacts';
import { CALLS, type CallKind } from './calls';
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
/** What a row may be whose request is of that kind: the kind in the code says when it is repeated. */
const ROWS_OF: Record<RequestKind, CallKind[]> = {
	read: ['read', 'poll', 'first poll', 'review', 'callback', 'resume'],
	submit: ['submit', 'wait'],
	idempotent: ['cancel', 'delete'],
	write: ['write', 'answer', 'stream', 'upload'],
};

function nameOfFunction(node: ts.Node): string {
	for (let at: ts.Node | undefined = node; at; at = at.parent)
		if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name)
			return at.name.getText();
	return '';
}

/** Where the code sends something, as `file function`, and the kinds stated there. */
function findSites() {
	const sites = new Set<string>();
	const kinds = new Map<string, RequestKind>();
	for (const file of sourceFiles('nodes'))
		visitNodes(parseSource(file), (node) => {
			const site = `${file.replace('nodes/', '')} ${nameOfFunction(node)}`;
			const [, kind] = /^kind: '(\w+)'/.exec(node.getText()) ?? [];
			if (ts.isPropertyAssignment(node) && kind) kinds.set(site, kind as RequestKind);
			if (!ts.isCallExpression(node)) return;
			const called = node.expression;
			const name = called.getText();
			if (OF_CALLS.includes(name) && node.arguments[0]?.getText() === 'client') {
				sites.add(site);
				kinds.set(site, name as RequestKind);
			}
			const callee = ts.isPropertyAccessExpression(called) ? called : undefined;
			const isWrapped = callee?.name.text === 'call' && /\.http\w+\.call$/.test(called.getText());
			const method = isWrapped ? callee!.expression.getText().split('.').pop()! : callee?.name.text;
			const owner = callee?.expression.getText() ?? '';
			if (!method || !SENDING.has(method) || !/client|helpers/i.test(owner)) return;
			sites.add(site);
		});
	return { sites: [...sites], kinds };
}

describe('the matrix', () => {
	it('has a row for every call of the code, and no other', () => {
		const listed = [...new Set([...CALLS.map(({ site }) => site), ...WITHIN])];
		const { sites } = findSites();
		expect([
			...sites
				.filter((site) => !listed.includes(site))
				.map((site) => `${site}: has no row in test/matrix/calls.ts`),
			...listed
				.filter((site) => !sites.includes(site))
				.map((site) => `${site}: in test/matrix/calls.ts, but sends nothing`),
		]).toEqual([]);
	});

	it('holds each call to the kind that the code states', () => {
		const { kinds } = findSites();
		const wrong = CALLS.flatMap(({ name, kind, site }) => {
			// Submissions get theirs from a function of the file. A download has none.
			const sent = kinds.get(site) ?? kinds.get(site.replace(/\w+$/, ''));
			const fitting = sent ? ROWS_OF[sent] : ['download'];
			return fitting.includes(kind)
				? []
				: `${site} sends kind ${sent}: its row "${name}" must say ${joinWords(fitting)}, but says ${kind}`;
		});
		expect(wrong).toEqual([]);
	});

	it('has thousands of cells', () => {
		const cells = CALLS.reduce((sum, row) => sum + momentsOf(row).length * FAULTS.length, 0);
		expect(cells).toBeGreaterThan(5_000);
	});
});
