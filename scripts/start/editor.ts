import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import axios from 'axios';
import { UsageError } from '../commandLine';
import { startSandbox, type Sandbox } from '../../sandbox';
import { buildIfChanged } from '../build';
import type { WorkflowJson } from '../engine';
import { createHost } from '../host/createHost';
import { isHostInstalled } from '../host/install';
import { createMailCredential, startMailbox, type Mail, type Mailbox } from '../host/mailbox';
import { lockUserFolder } from '../host/lock';
import { OWNER, type HostOptions, type N8nHost } from '../host/n8nHost';
import { assertRegistryReachable } from '../host/npmInstall';
import { assertHostPortFree } from '../host/ports';
import type { HostVersion } from '../host/versions';
import { Imported } from './imported';

const EXAMPLES = path.join(__dirname, '..', '..', 'examples');
const IMAGE_MS = 2_000;
const VIDEO_MS = 6_000;
/** The sandbox's port where it is free: the credential then stays as it was at the last start. */
const SANDBOX_PORT = 8787;
/** The mailbox's, for the same reason. */
const MAIL_PORT = 8788;

export interface EditorOptions extends HostOptions {
	version: HostVersion;
	port: number;
	/** The gateway of the credential; the sandbox unless given. */
	gateway?: { url: string; key: string };
	/** Whether examples are brought in again, over what the user has changed in them. */
	isResetWanted: boolean;
	/** When the package is installed. */
	beforeStart?: () => Promise<void>;
}

/** A running n8n editor with this package, its credential and the examples. */
export interface Editor {
	/** Prints where the editor is and how to sign in. */
	printAddresses(): void;
	/** What n8n printed last. */
	getLog(): string;
	/** Stops n8n and the sandbox. */
	stop(): Promise<void>;
}

type Example = WorkflowJson & { id: string };

async function readExamples(): Promise<Example[]> {
	const files = (await readdir(EXAMPLES)).filter((file) => file.endsWith('.json'));
	return await Promise.all(
		files.map(async (file) => ({
			...(JSON.parse(await readFile(path.join(EXAMPLES, file), 'utf8')) as WorkflowJson),
			id: file.replace('.json', ''),
		})),
	);
}

async function createSandbox(): Promise<Sandbox> {
	const taskMs = ({ model }: Record<string, unknown>) =>
		/video|clipk|pxv/.test(String(model)) ? VIDEO_MS : IMAGE_MS;
	return await startSandbox({ taskMs, port: SANDBOX_PORT }).catch(
		async () => await startSandbox({ taskMs }),
	);
}

/** Prints what n8n logs about the nodes of this package. */
function printNodes(text: string): void {
	const lines = text.split('\n').filter((line) => line.includes('Generation Gateway:'));
	for (const line of lines) console.log(line.slice(line.indexOf('Generation Gateway:')));
}

/** Says before anything is done that the gateway does not answer, or does not know the key. */
async function assertGatewayAnswers({ url, key }: { url: string; key: string }): Promise<void> {
	const options = {
		headers: { authorization: `Bearer ${key}` },
		timeout: 10_000,
		validateStatus: () => true,
	};
	const { status } = await axios
		.get(`${url.replace(/\/$/, '')}/v1/assets?limit=1`, options)
		.catch((error: { code?: string; message: string }) => {
			throw new UsageError(`No gateway answers at ${url} (${error.code ?? error.message})`);
		});
	if (status === 401 || status === 403)
		throw new UsageError(`The gateway at ${url} does not accept the key (${status})`);
}

/** Prints a mail that a workflow has sent, with what can be answered. */
function printMail({ to, subject, links }: Mail): void {
	const answers = links.filter(({ url }) => url.includes('/webhook-waiting/'));
	console.log(`\nMail to ${to}: ${subject}`);
	for (const { label, url } of answers) console.log(`  ${label}: ${url}`);
}

const createMailbox = async (): Promise<Mailbox> =>
	await startMailbox(printMail, MAIL_PORT).catch(async () => await startMailbox(printMail));

/**
 * Brings in the examples that are new, or all of them. One that has changed in the package since is
 * named only: the user may have changed it, too.
 */
async function importExamples(host: N8nHost, imported: Imported, isReset: boolean): Promise<void> {
	const examples = await readExamples();
	const wanted = examples.filter(({ id }) => isReset || !imported.has(id));
	if (wanted.length) {
		await host.importWorkflows(wanted);
		await imported.note(Object.fromEntries(wanted.map((example) => [example.id, example])));
	}
	const changed = examples.filter((example) => !imported.isSame(example.id, example));
	if (changed.length)
		console.log(
			`${changed.length} of the examples have changed in this package. To get them, over your own changes: --reset-examples`,
		);
}

async function prepareHost(
	{
		version,
		gateway,
		isResetWanted,
		...options
	}: EditorOptions & { gateway: { url: string; key: string } },
	mailbox: Mailbox,
): Promise<N8nHost> {
	const imported = await Imported.read(options.userFolder);
	const host = await createHost(version, { ...options, log: console.log, onPrint: printNodes });
	const credential = { baseUrl: gateway.url, apiKey: gateway.key };
	if (!imported.isSame('credential', credential)) {
		await host.importCredential(credential);
		await imported.note({ credential });
	}
	const smtp = createMailCredential(mailbox);
	if (!imported.isSame('smtp', smtp)) {
		await host.importOtherCredential('smtp', smtp);
		await imported.note({ smtp });
	}
	await importExamples(host, imported, isResetWanted);
	return host;
}

/**
 * Installs n8n and what is built of this package, and starts the editor. What stands against it (a port
 * that is taken, another editor with the same data, no registry) is said before anything is done.
 */
export async function startEditor(options: EditorOptions, signal?: AbortSignal): Promise<Editor> {
	const { version, port, userFolder, gateway } = options;
	if (gateway) await assertGatewayAnswers(gateway);
	const lock = await lockUserFolder(userFolder, `http://localhost:${port}`, { signal });
	let host: N8nHost | undefined;
	let sandbox: Sandbox | undefined;
	let mailbox: Mailbox | undefined;
	const stop = async (): Promise<void> => {
		await Promise.all([host?.stop(), sandbox?.close(), mailbox?.close()]);
		await lock.release();
	};
	try {
		await assertHostPortFree(port);
		if (!isHostInstalled(version)) await assertRegistryReachable();
		await buildIfChanged();
		sandbox = gateway ? undefined : await createSandbox();
		mailbox = await createMailbox();
		console.log('Installing the package, the credential and the examples …');
		host = await prepareHost({ ...options, gateway: sandbox ?? gateway! }, mailbox);
		await options.beforeStart?.();
		console.log(`Starting n8n ${version.n8n} …`);
		await host.start();
		await host.signIn();
		await lock.setRunning(host.processId);
	} catch (reason) {
		await stop();
		throw reason;
	}
	const { url } = host;
	const getLog = host.getLog.bind(host);
	const address = sandbox
		? `${sandbox.url} (sandbox: generates nothing, bills nothing)`
		: gateway!.url;
	return {
		stop,
		getLog,
		printAddresses: () =>
			console.log(`
Editor:   ${url}
Sign in:  ${OWNER.email} / ${OWNER.password}
Gateway:  ${address}
Mail:     what workflows send with the credential "smtp" is printed here
Examples: ${url}/home/workflows
What the nodes log is printed here. Stop with Ctrl-C.`),
	};
}
