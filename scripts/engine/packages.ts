import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface KnownClass {
	className: string;
	sourcePath: string;
}

type Kind = 'nodes' | 'credentials';

/** Installed packages of n8n whose nodes a workflow may name without registering them. */
const PACKAGES = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];

const known = new Map<string, Record<string, KnownClass>>();

/** An instance of the node class behind a full type name such as `n8n-nodes-base.set`, if it is installed. */
export function installedNode(typeName: string): unknown {
	const packageName = PACKAGES.find((name) => typeName.startsWith(`${name}.`));
	return packageName === undefined
		? undefined
		: instantiate(packageName, 'nodes', typeName.slice(packageName.length + 1));
}

/** An instance of the credential class of that name from n8n's own packages, if one is installed. */
export function installedCredential(name: string): unknown {
	for (const packageName of PACKAGES) {
		const found = instantiate(packageName, 'credentials', name);
		if (found !== undefined) return found;
	}
	return undefined;
}

function instantiate(packageName: string, kind: Kind, name: string): unknown {
	const root = packageRoot(packageName);
	if (root === undefined) return undefined;
	const knownClass = knownClasses(root, kind)[name];
	if (knownClass === undefined) return undefined;
	const exported = require(join(root, knownClass.sourcePath)) as Record<string, new () => unknown>;
	const NodeClass = exported[knownClass.className];
	return NodeClass === undefined ? undefined : new NodeClass();
}

function knownClasses(root: string, kind: Kind): Record<string, KnownClass> {
	const file = join(root, 'dist', 'known', `${kind}.json`);
	let classes = known.get(file);
	if (classes === undefined) {
		classes = (existsSync(file) ? require(file) : {}) as Record<string, KnownClass>;
		known.set(file, classes);
	}
	return classes;
}

function packageRoot(packageName: string): string | undefined {
	try {
		return dirname(require.resolve(`${packageName}/package.json`));
	} catch {
		return undefined;
	}
}
