import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { startSandbox } from '../../sandbox';
import type { WorkflowJson } from '../engine';
import { createHost } from '../host/createHost';
import { OWNER, type HostOptions, type N8nHost } from '../host/n8nHost';
import type { HostVersion } from '../host/versions';

const EXAMPLES = path.join(__dirname, '..', '..', 'examples');
const IMAGE_MS = 2_000;
const VIDEO_MS = 6_000;

export interface EditorOptions extends HostOptions {
	version: HostVersion;
	/** The gateway of the credential; the sandbox unless given. */
	gateway?: { url: string; key: string };
}

/** A running n8n editor with this package, its credential and the examples. */
export interface Editor {
	host: N8nHost;
	/** Prints where the editor is and how to sign in. */
	printAddresses(): void;
	/** Stops n8n and the sandbox. */
	stop(): Promise<void>;
}

async function readExamples(): Promise<(WorkflowJson & { id: string })[]> {
	const files = (await readdir(EXAMPLES)).filter((file) => file.endsWith('.json'));
	return await Promise.all(
		files.map(async (file) => ({
			...(JSON.parse(await readFile(path.join(EXAMPLES, file), 'utf8')) as WorkflowJson),
			id: file.replace('.json', ''),
		})),
	);
}

/**
 * Installs n8n and what is built of this package, and starts the editor. `SIGINT` and `SIGTERM` stop it,
 * also while it is starting.
 */
export async function startEditor({
	version,
	gateway,
	...options
}: EditorOptions): Promise<Editor> {
	const sandbox = gateway
		? undefined
		: await startSandbox({
				taskMs: ({ model }) => (/video|clipk|pxv/.test(String(model)) ? VIDEO_MS : IMAGE_MS),
			});
	let host: N8nHost | undefined;
	const stop = async (): Promise<void> => {
		await Promise.all([host?.stop(), sandbox?.close()]);
	};
	let isStopping = false;
	// A terminal sends Ctrl-C to every process and tsx passes it on as well: without a handler the second one would end this process before n8n.
	for (const signal of ['SIGINT', 'SIGTERM'] as const)
		process.on(signal, () => {
			if (isStopping) return;
			isStopping = true;
			void stop().then(() => process.exit(0));
		});

	try {
		console.log('Installing the package, the credential and the examples …');
		const address = sandbox ?? gateway!;
		host = await createHost(version, { ...options, gateway: address, log: console.log });
		await host.importWorkflows(await readExamples());
		console.log(`Starting n8n ${version.n8n} …`);
		await host.start();
		await host.signIn();
		const { url } = host;
		return {
			host,
			stop,
			printAddresses: () =>
				console.log(`
Editor:   ${url}
Sign in:  ${OWNER.email} / ${OWNER.password}
Gateway:  ${sandbox ? `${sandbox.url} (sandbox: generates nothing, bills nothing)` : address.url}
The examples are among the workflows. Stop with Ctrl-C.`),
		};
	} catch (reason) {
		await stop();
		throw reason;
	}
}
