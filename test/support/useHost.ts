import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { startSandbox, type Sandbox, type Settings } from '../../sandbox';
import { linear, type NodeSpec, type WorkflowJson } from '../../scripts/engine';
import { startCollector, type Collector } from '../../scripts/host/collector';
import { createHost } from '../../scripts/host/createHost';
import type { N8nHost } from '../../scripts/host/n8nHost';
import type { HostVersion } from '../../scripts/host/versions';
import { delay } from './useSandbox';

export interface HostOptions {
	/** Of the sandbox. */
	settings?: Partial<Settings>;
	env?: NodeJS.ProcessEnv;
}

export type HostWorkflow = WorkflowJson & { id: string; name: string };

export interface Execution {
	id: string;
	status: string;
	customData: Record<string, string>;
}

/** A real n8n for one test file, beside a sandbox and a server that keeps what workflows post to it. */
export class HostFixture<Posted> {
	sandbox!: Sandbox;
	collector!: Collector<Posted>;
	host!: N8nHost;
	private folder!: string;

	async setUp(version: HostVersion, { settings, env }: HostOptions): Promise<void> {
		this.folder = await mkdtemp(path.join(tmpdir(), 'host-'));
		this.sandbox = await startSandbox(settings);
		this.collector = await startCollector<Posted>();
		const userFolder = path.join(this.folder, 'user');
		this.host = await createHost(version, { userFolder, gateway: this.sandbox, env });
		await this.start();
	}

	/** Starts n8n, also again after it was stopped. */
	async start(): Promise<void> {
		await this.host.start();
		await this.host.signIn();
	}

	async tearDown(): Promise<void> {
		await this.host?.stop();
		await this.collector?.close();
		await this.sandbox?.close();
		await rm(this.folder, { recursive: true, force: true });
	}

	/** Puts workflows into production; each is there when n8n knows the address it begins with. */
	async deploy(...workflows: HostWorkflow[]): Promise<void> {
		await this.host.importWorkflows(workflows);
		for (const workflow of workflows) await this.host.publish(workflow.id);
		for (const workflow of workflows)
			if (pathOf(workflow)) await this.until(async () => await this.isThere(pathOf(workflow)!));
	}

	/** n8n says that a workflow is published a moment before its webhook is there. */
	private async isThere(hook: string): Promise<boolean> {
		const { data } = await axios.get<{ message?: string }>(`${this.host.url}/webhook/${hook}`, {
			validateStatus: () => true,
		});
		return data.message?.includes('for GET') === true;
	}

	/** Calls the webhook that a workflow begins with. */
	async post(id: string, body: object = {}): Promise<void> {
		await axios.post(`${this.host.url}/webhook/${id}`, body);
	}

	/** Tells the collector what an expression gives. */
	report(name: string, expression: string): NodeSpec {
		return createReport(name, this.collector.url, expression);
	}

	async until(isMet: () => boolean | Promise<boolean>, seconds = 120): Promise<void> {
		for (const end = performance.now() + seconds * 1000; performance.now() < end; await delay(100))
			if (await isMet()) return;
		throw new Error(`Waited ${seconds} s in vain:\n${this.host.getLog().slice(-2000)}`);
	}

	async executionsOf(workflowId: string): Promise<Execution[]> {
		return (await this.find<{ results: Execution[] }>({ workflowId })).results;
	}

	/** How many executions have a status. */
	async count(status: string): Promise<number> {
		return (await this.find<{ count: number }>({ status: [status] }, '&limit=1')).count;
	}

	private async find<Found>(filter: object, more = ''): Promise<Found> {
		const text = encodeURIComponent(JSON.stringify(filter));
		return await this.host.rest<Found>('GET', `/executions?filter=${text}${more}`);
	}
}

/** Where a workflow is called: its webhook, or the default address of our trigger. */
function pathOf({ nodes: [first] }: HostWorkflow): string | undefined {
	if (!first?.webhookId) return undefined;
	const { secret = 'callback' } = first.parameters as { secret?: string };
	return first.type.endsWith('Trigger') ? `${first.webhookId}/${secret}` : first.webhookId;
}

/** Starts an n8n before the tests of a block and ends it after them. */
export function useHost<Posted = object>(
	version: HostVersion,
	options: HostOptions = {},
	prepare: (fixture: HostFixture<Posted>) => Promise<void> = async () => undefined,
): HostFixture<Posted> {
	const fixture = new HostFixture<Posted>();
	beforeAll(async () => {
		await fixture.setUp(version, options);
		await prepare(fixture);
	});
	afterAll(async () => await fixture.tearDown());
	return fixture;
}

/** A workflow that is called under its ID. */
export const calledWorkflow = (id: string, ...nodes: NodeSpec[]): HostWorkflow =>
	withId(
		id,
		linear(
			{
				name: 'Start',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				webhookId: id,
				parameters: { httpMethod: 'POST', path: id, options: {} },
			},
			...nodes,
		),
	);

export const withId = (id: string, json: WorkflowJson): HostWorkflow => ({
	...json,
	id,
	name: id,
	settings: { executionOrder: 'v1' },
});

/** Posts what an expression gives. */
export const createReport = (name: string, url: string, expression: string): NodeSpec => ({
	name,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: {
		method: 'POST',
		url,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: `={{ JSON.stringify(${expression}) }}`,
		options: {},
	},
});

interface Loop {
	/** The node before it. */
	before: string;
	/** The nodes that it goes through for each item. */
	first: string;
	last: string;
	/** The node behind it. */
	done?: string;
}

/** Puts nodes of a workflow into Loop Over Items, one item at a time. */
export function addLoop(workflow: HostWorkflow, { before, first, last, done }: Loop): HostWorkflow {
	const { nodes } = linear({
		name: 'Loop',
		id: 'loop',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize: 1, options: {} },
	});
	const to = (node?: string) => (node ? [{ node, type: 'main' as const, index: 0 }] : []);
	const connections = {
		...workflow.connections,
		[before]: { main: [to('Loop')] },
		Loop: { main: [to(done), to(first)] },
		[last]: { main: [to('Loop')] },
	};
	return { ...workflow, nodes: [...workflow.nodes, ...nodes], connections };
}

/** Makes an item of each element of a list. */
export const splitOut = (fieldToSplitOut: string): NodeSpec => ({
	name: 'Split',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut, options: {} },
});
