import { UsageError } from '../commandLine';

/** An n8n that people run, and what it takes to install it: some of its dependencies want pinning. */
export interface HostVersion {
	n8n: string;
	overrides: Record<string, string>;
	/** Peers of its dependencies, which an install without peers leaves out. */
	extraDependencies?: Record<string, string>;
	/** In queue mode, whether the execution of a worker that died is handed to another one; it ends as crashed unless so. */
	hasFailover?: true;
}

const NEWER_PINS = {
	linkedom: '0.18.12',
	'@langchain/langgraph': '1.4.18',
	'@langchain/langgraph-sdk': '1.12.0',
	'@langchain/langgraph-checkpoint': '1.1.5',
	'@langchain/protocol': '0.0.19',
};
/** The langgraph that these were made for: the server does not start with a newer one. */
const OLDER_PINS = {
	linkedom: '0.18.12',
	'@langchain/langgraph': '1.0.2',
	'@langchain/langgraph-sdk': '1.0.3',
	'@langchain/langgraph-checkpoint': '1.0.0',
	xlsx: '0.18.5',
};

/** Newest first. All run under the same Node. */
export const VERSIONS: readonly HostVersion[] = [
	{ n8n: '2.41.1', overrides: NEWER_PINS },
	{ n8n: '2.20.12', overrides: OLDER_PINS, extraDependencies: { '@opentelemetry/core': '2.6.0' } },
	{ n8n: '1.123.81', overrides: OLDER_PINS, hasFailover: true },
];

export const NODE_MAJOR = 24;

/** A version by its number, or `newest` and `oldest`. */
export function getVersion(name: string): HostVersion {
	const found =
		name === 'newest'
			? VERSIONS[0]
			: name === 'oldest'
				? VERSIONS.at(-1)
				: VERSIONS.find(({ n8n }) => n8n === name);
	if (found) return found;
	throw new UsageError(
		`There is no n8n ${name} to choose. There are newest, oldest, ${VERSIONS.map(({ n8n }) => n8n).join(', ')}`,
	);
}
