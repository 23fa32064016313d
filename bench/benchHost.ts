import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { startSandbox, type Sandbox, type Settings } from '../sandbox';
import type { WorkflowJson } from '../scripts/engine';
import { createHost } from '../scripts/host/createHost';
import type { N8nHost } from '../scripts/host/n8nHost';
import { getInstalledFolder } from '../scripts/host/userFolder';
import { getVersion } from '../scripts/host/versions';
import { buildContenders } from './contenders/buildContenders';
import { Peak } from './memory';

/** A connection of its own for each call: on one that is kept, an answer in two packets may wait 40 ms for the first to be acknowledged. */
const httpAgent = new Agent({ keepAlive: false });

export interface WorkflowRun {
	/** From the call of the workflow's webhook to its answer, which comes when the workflow has ended. */
	ms: number;
	items: Record<string, unknown>[];
	requests: number;
	/** Megabytes by which n8n's process grew at most. */
	growth: number;
}

/** A workflow in the real n8n, started with rows, one item each. */
export type RunWorkflow = (rows: object[], how?: { keepsRecord?: boolean }) => Promise<WorkflowRun>;

export interface BenchHostOptions {
	env?: NodeJS.ProcessEnv;
	/** Of the sandbox. */
	settings?: Partial<Settings>;
}

/** One real n8n with the packed package, beside the sandbox, for all measures of a run. */
export class BenchHost {
	private constructor(
		readonly sandbox: Sandbox,
		readonly host: N8nHost,
		/** For files that workflows may read. */
		readonly folder: string,
	) {}

	/** This package as n8n has it installed. */
	get ownPackage(): string {
		return getInstalledFolder(path.join(this.folder, 'user'));
	}

	static async create({ env: extraEnv, settings }: BenchHostOptions = {}): Promise<BenchHost> {
		const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
		const extraTextModels = ['gpt-4o-mini', 'whisper-1'];
		const sandbox = await startSandbox({ extraTextModels, ...settings });
		const env = {
			N8N_CUSTOM_EXTENSIONS: await buildContenders(path.join(folder, 'contenders')),
			N8N_PAYLOAD_SIZE_MAX: '64',
			N8N_RESTRICT_FILE_ACCESS_TO: folder,
			...extraEnv,
		};
		const host = await createHost(getVersion('newest'), {
			userFolder: path.join(folder, 'user'),
			gateway: sandbox,
			env,
			log: console.log,
		});
		await host.importOtherCredential('openAiApi', {
			apiKey: sandbox.key,
			url: `${sandbox.url}/v1`,
		});
		await host.start();
		await host.signIn();
		return new BenchHost(sandbox, host, folder);
	}

	/** Another n8n process with a user folder of its own, on the same gateway and key; its `host` is to be stopped. */
	async createSecond(): Promise<BenchHost> {
		const host = await createHost(getVersion('newest'), {
			userFolder: path.join(this.folder, 'second'),
			gateway: this.sandbox,
		});
		await host.start();
		await host.signIn();
		return new BenchHost(this.sandbox, host, this.folder);
	}

	/** Publishes a workflow that begins with a webhook, whose path is its name unless given, and gives the address of that. */
	async publish(workflow: WorkflowJson & { name: string }, hook = workflow.name): Promise<string> {
		const { id } = await this.host.rest<{ id: string }>('POST', '/workflows', workflow);
		await this.host.publish(id);
		const url = `${this.host.url}/webhook/${hook}`;
		await waitForWebhook(url);
		return url;
	}

	/** Publishes a workflow that begins with the webhook `Rows` of its name. */
	async deploy(workflow: WorkflowJson & { name: string }): Promise<RunWorkflow> {
		const url = await this.publish(workflow);
		return async (rows, { keepsRecord } = {}) => {
			if (!keepsRecord) this.sandbox.requests.length = 0;
			const peak = await Peak.of(this.host.processId);
			const startedAt = performance.now();
			const { data, status } = await axios.post<Record<string, unknown>[]>(
				url,
				{ rows },
				{ timeout: 900_000, validateStatus: () => true, httpAgent },
			);
			const ms = performance.now() - startedAt;
			if (status !== 200)
				throw new Error(
					`${workflow.name} ended with ${status} ${JSON.stringify(data)}:\n${this.host.getLog().slice(-2000)}`,
				);
			return {
				ms,
				items: [data].flat(),
				requests: this.sandbox.requests.length,
				growth: await peak.growth(),
			};
		};
	}

	/** Ends n8n's process and starts another one. */
	async restart(): Promise<void> {
		await this.host.stop();
		await this.host.start();
		await this.host.signIn();
	}

	async teardown(): Promise<void> {
		await this.host.stop();
		await this.sandbox.close();
		await rm(this.folder, { recursive: true, force: true });
	}
}

/** n8n registers a webhook some time after its workflow is activated; until then it knows the path under no method. */
async function waitForWebhook(url: string): Promise<void> {
	for (let tries = 0; tries < 100; tries += 1) {
		const { data } = await axios.get<{ message?: string }>(url, { validateStatus: () => true });
		if (data.message?.includes('for GET')) return;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error(`n8n did not register ${url}`);
}

/** One host for all measures of a run. */
let shared: Promise<BenchHost> | undefined;

/** The host of this run; the first measure that needs it starts it. */
export const getBenchHost = (): Promise<BenchHost> => (shared ??= BenchHost.create());

export async function teardownBenchHost(): Promise<void> {
	await (await shared)?.teardown();
	shared = undefined;
}
