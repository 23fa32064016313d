import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import axios from 'axios';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { WorkflowJson } from '../engine';
import { endProgram, ProgramError, run, startProgram } from '../processes';
import type { InstalledHost } from './install';
import { findFreePort } from './ports';

/** The owner of a local instance; it listens on localhost only. */
export const OWNER = {
	email: 'owner@localhost.dev',
	password: 'Sandbox-1234',
	firstName: 'Local',
	lastName: 'Owner',
};
/** The credential that workflows of the examples refer to. */
export const CREDENTIAL = {
	id: 'generationGateway',
	name: 'Generation Gateway account',
	type: 'generationGatewayApi',
};

/** n8n 2.41 crashes now and then when it has printed its run and ends: about once in twenty short ones. */
function outputOfCrashAtExit(error: unknown): string {
	if (error instanceof ProgramError && error.endedWith === 'SIGSEGV') return error.output;
	throw error;
}

/** What n8n prints when it listens. */
const READY = 'Editor is now accessible via';

export interface HostOptions {
	userFolder: string;
	/** A free one unless given. */
	port?: number;
	env?: NodeJS.ProcessEnv;
	/** Receives everything that n8n prints. */
	onPrint?: (text: string) => void;
}

/** A real n8n with its own user folder: its command line, and its server once it is started. */
export class N8nHost {
	readonly url: string;
	/** The session of the owner, once signed in. */
	private cookie = '';
	private server: ChildProcess | undefined;
	private log = '';

	private constructor(
		private readonly installed: InstalledHost,
		private readonly userFolder: string,
		private readonly port: number,
		private readonly env: NodeJS.ProcessEnv,
		private readonly onPrint: (text: string) => void,
	) {
		this.url = `http://localhost:${port}`;
	}

	static async create(
		installed: InstalledHost,
		{ userFolder, port, env = {}, onPrint = () => undefined }: HostOptions,
	): Promise<N8nHost> {
		await mkdir(userFolder, { recursive: true });
		return new N8nHost(installed, userFolder, port ?? (await findFreePort()), env, onPrint);
	}

	private createEnvironment(): NodeJS.ProcessEnv {
		return {
			PATH: `${path.dirname(this.installed.node)}${path.delimiter}${process.env.PATH}`,
			HOME: process.env.HOME,
			N8N_USER_FOLDER: this.userFolder,
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_PORT: String(this.port),
			N8N_RUNNERS_BROKER_PORT: String(this.port + 1),
			N8N_DIAGNOSTICS_ENABLED: 'false',
			N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
			N8N_TEMPLATES_ENABLED: 'false',
			N8N_PERSONALIZATION_ENABLED: 'false',
			N8N_SECURE_COOKIE: 'false',
			N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
			N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
			N8N_COMMUNITY_PACKAGES_ALLOW_TOOL_USAGE: 'true',
			...this.env,
		};
	}

	/** Runs one command of n8n's command line and gives what it printed. */
	async command(...args: string[]): Promise<string> {
		return await run(this.installed.node, [this.installed.n8n, ...args], this.userFolder, {
			env: this.createEnvironment(),
		});
	}

	/** Puts the gateway's credential in place under the ID the examples use. */
	async importCredential(data: ICredentialDataDecryptedObject): Promise<void> {
		await this.import('import:credentials', [{ ...CREDENTIAL, data }]);
	}

	/** Puts a credential of n8n's own types in place, under its type as ID. */
	async importOtherCredential(type: string, data: ICredentialDataDecryptedObject): Promise<void> {
		await this.import('import:credentials', [{ id: type, name: type, type, data }]);
	}

	/** Puts workflows in place, each under its ID, with the gateway's credential. */
	async importWorkflows(workflows: (WorkflowJson & { id: string })[]): Promise<void> {
		await this.import('import:workflow', workflows.map(withCredential));
	}

	private async import(command: string, items: object[]): Promise<void> {
		const file = path.join(this.userFolder, `${command.replace(':', '-')}.json`);
		await writeFile(file, JSON.stringify(items), { mode: 0o600 });
		await this.command(command, `--input=${file}`);
	}

	/** Runs a workflow headless and gives the run as n8n prints it. */
	async execute(id: string): Promise<HeadlessRun> {
		const printed = await this.command('execute', '--id', id).catch(outputOfCrashAtExit);
		const start = printed.indexOf('\n{\n');
		if (start < 0) throw new Error(`n8n printed no run:\n${printed.slice(-2000)}`);
		return JSON.parse(printed.slice(start, printed.lastIndexOf('}') + 1)) as HeadlessRun;
	}

	/** Starts a long-running command of n8n, e.g. `worker`; what it prints is kept with the server's. */
	launch(args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
		const child = startProgram(this.installed.node, [this.installed.n8n, ...args], {
			cwd: this.userFolder,
			env: { ...this.createEnvironment(), ...env },
		});
		for (const stream of [child.stdout, child.stderr])
			stream!.on('data', (chunk: Buffer) => {
				this.onPrint(chunk.toString());
				this.log = (this.log + chunk.toString()).slice(-20_000);
			});
		return child;
	}

	/** Starts the server and waits until it answers. */
	async start(seconds = 120): Promise<void> {
		let printed = '';
		this.server = this.launch(['start']);
		this.server.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
		const deadline = Date.now() + seconds * 1000;
		let hasEnded = false as boolean;
		this.server.once('exit', () => (hasEnded = true));
		while (!hasEnded && Date.now() < deadline) {
			// Another server may answer at this address, so n8n must have said that it is its own.
			if (
				printed.includes(READY) &&
				(await this.isAnswering('/healthz/readiness')) &&
				(await this.isAnswering('/rest/settings'))
			)
				return;
			await new Promise((resolve) => setTimeout(resolve, 300));
		}
		await this.stop();
		throw new Error(`n8n did not start:\n${this.log.slice(-3000)}`);
	}

	/** An older n8n says that it is ready a moment before the editor's interface is there. */
	private async isAnswering(route: string): Promise<boolean> {
		const { status } = await axios
			.get(`${this.url}${route}`, { validateStatus: () => true })
			.catch(() => ({ status: 0 }));
		return status === 200;
	}

	/** Signs in as the owner, who is set up on the first start. */
	async signIn(): Promise<void> {
		const anyStatus = { validateStatus: (status: number) => status < 500 };
		await axios.post(`${this.url}/rest/owner/setup`, OWNER, anyStatus);
		const { headers } = await axios.post(`${this.url}/rest/login`, {
			emailOrLdapLoginId: OWNER.email,
			password: OWNER.password,
		});
		this.cookie = (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ');
	}

	/** A call of the editor's own interface, as the owner. */
	async rest<Data>(
		method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
		route: string,
		data?: object,
	): Promise<Data> {
		const response = await axios.request<{ data: Data }>({
			method,
			url: `${this.url}/rest${route}`,
			data,
			headers: { cookie: this.cookie },
		});
		return response.data.data;
	}

	/** Starts an execution as the editor's Execute button does, at a trigger; gives its ID. */
	async runManually(id: string, triggerName: string): Promise<string> {
		const workflowData = await this.rest<object>('GET', `/workflows/${id}`);
		const data = { workflowData, triggerToStartFrom: { name: triggerName } };
		const { executionId } = await this.rest<{ executionId: string }>(
			'POST',
			`/workflows/${id}/run`,
			data,
		);
		return executionId;
	}

	/** Puts a workflow into production, as the editor's button does: its triggers listen from now on. */
	async publish(id: string): Promise<void> {
		const { versionId } = await this.rest<{ versionId: string }>('GET', `/workflows/${id}`);
		await this.rest('POST', `/workflows/${id}/activate`, { versionId });
	}

	/** The process of the server that was started. */
	get processId(): number {
		const { pid } = this.server ?? {};
		if (pid === undefined) throw new Error('n8n is not started');
		return pid;
	}

	/** What the server printed last. */
	getLog(): string {
		return this.log;
	}

	/** Stops the server; `SIGKILL` acts like a crash. */
	async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
		const { server } = this;
		this.server = undefined;
		if (server) await endProgram(server, signal);
	}
}

export interface HeadlessRun {
	status: string;
	data: {
		resultData: {
			error?: { message: string };
			runData: Record<
				string,
				{
					data?: Record<string, { json: Record<string, unknown>; binary?: object }[][]>;
					error?: { message: string };
				}[]
			>;
		};
	};
}

/** Credentials of other types are imported under their type as ID. */
const withCredential = <Json extends WorkflowJson>(workflow: Json): Json => ({
	...workflow,
	nodes: workflow.nodes.map(({ credentials, ...node }) => ({
		...node,
		...(credentials && {
			credentials: Object.fromEntries(
				Object.keys(credentials).map((type) => [
					type,
					type === CREDENTIAL.type
						? { id: CREDENTIAL.id, name: CREDENTIAL.name }
						: { id: type, name: type },
				]),
			),
		}),
	})),
});
