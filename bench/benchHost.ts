import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { startSandbox, type Sandbox } from '../sandbox';
import type { WorkflowJson } from '../scripts/engine';
import { furnished } from '../scripts/host/createHost';
import type { Host } from '../scripts/host/n8nHost';
import { versionOf } from '../scripts/host/versions';
import { serialNode } from './contenders/buildSerialNode';
import { Peak } from './memory';

/** A connection of its own for each call: on one that is kept, an answer in two packets may wait 40 ms for the first to be acknowledged. */
const httpAgent = new Agent({ keepAlive: false });

export interface Played {
	/** From the call of the workflow's webhook to its answer, which comes when the workflow has ended. */
	ms: number;
	items: Record<string, unknown>[];
	requests: number;
	/** Megabytes by which n8n's process grew at most. */
	growth: number;
}

/** A workflow in the real n8n, started with rows, one item each. */
export type Play = (rows: object[], how?: { keepsRecord?: boolean }) => Promise<Played>;

/** One real n8n with the packed package, beside the sandbox, for all measures of a run. */
export class Stage {
	private constructor(
		readonly sandbox: Sandbox,
		readonly host: Host,
		/** For files that workflows may read. */
		readonly folder: string,
	) {}

	/** This package as n8n has it installed. */
	get ownPackage(): string {
		return path.join(
			this.folder,
			'user',
			'.n8n',
			'nodes',
			'node_modules',
			'n8n-nodes-generation-gateway',
		);
	}

	static async set(): Promise<Stage> {
		const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
		const sandbox = await startSandbox({ extraTextModels: ['gpt-4o-mini', 'whisper-1'] });
		const env = {
			N8N_CUSTOM_EXTENSIONS: await serialNode(path.join(folder, 'contenders')),
			N8N_PAYLOAD_SIZE_MAX: '64',
			N8N_RESTRICT_FILE_ACCESS_TO: folder,
		};
		const host = await furnished(versionOf('newest'), {
			userFolder: path.join(folder, 'user'),
			gateway: sandbox,
			env,
			say: console.log,
		});
		await host.importOther('openAiApi', { apiKey: sandbox.key, url: `${sandbox.url}/v1` });
		await host.start();
		await host.signIn();
		return new Stage(sandbox, host, folder);
	}

	/** Puts a workflow in place that begins with the webhook `Rows` of its name. */
	async rehearse(workflow: WorkflowJson & { name: string }): Promise<Play> {
		const { id } = await this.host.rest<{ id: string }>('POST', '/workflows', workflow);
		await this.host.publish(id);
		const url = `${this.host.url}/webhook/${workflow.name}`;
		await registered(url);
		return async (rows, { keepsRecord } = {}) => {
			if (!keepsRecord) this.sandbox.requests.length = 0;
			const peak = await Peak.of(this.host.processId);
			const began = performance.now();
			const { data, status } = await axios.post<Record<string, unknown>[]>(
				url,
				{ rows },
				{ timeout: 900_000, validateStatus: () => true, httpAgent },
			);
			const ms = performance.now() - began;
			if (status !== 200)
				throw new Error(
					`${workflow.name} ended with ${status} ${JSON.stringify(data)}:\n${this.host.printed().slice(-2000)}`,
				);
			return {
				ms,
				items: [data].flat(),
				requests: this.sandbox.requests.length,
				growth: await peak.growth(),
			};
		};
	}

	async strike(): Promise<void> {
		await this.host.stop();
		await this.sandbox.close();
		await rm(this.folder, { recursive: true, force: true });
	}
}

/** n8n registers a webhook some time after its workflow is activated; until then it knows the path under no method. */
async function registered(url: string): Promise<void> {
	for (let tries = 0; tries < 100; tries += 1) {
		const { data } = await axios.get<{ message?: string }>(url, { validateStatus: () => true });
		if (data.message?.includes('for GET')) return;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error(`n8n did not register ${url}`);
}

let standing: Promise<Stage> | undefined;

/** The stage of this run; it is set up by the first measure that needs it. */
export const stage = (): Promise<Stage> => (standing ??= Stage.set());

export async function strikeStage(): Promise<void> {
	await (await standing)?.strike();
	standing = undefined;
}
