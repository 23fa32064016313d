import { NodeHelpers } from 'n8n-workflow';
import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

import { binaryDataService } from './container';
import { prepareExecution } from './execution';
import type { EngineOptions, WorkflowJson } from './options';
import type { EngineRun } from './result';
import { runWorkflow } from './run';
import { callTrigger, callWaiting } from './webhooks';
import type { WebhookOutcome } from './webhooks';
import type { WebhookReply, WebhookRequest } from './webhookExchange';

/** The doors that an n8n instance keeps open to the outside: resume links, webhook triggers, signed files. */
export interface Instance {
	baseUrl: string;
	/** Runs a workflow whose links lead here. If it parks itself, its resume link works. */
	run(json: WorkflowJson, options?: EngineOptions): Promise<EngineRun>;
	/** The run of an execution once it waits no longer. */
	ended(executionId: string): Promise<EngineRun>;
	/** Opens the webhooks of a workflow's triggers, and tells their production URLs. */
	activate(json: WorkflowJson, options: EngineOptions, onRun: (run: EngineRun) => void): string[];
	close(): Promise<void>;
}

interface Known {
	run?: EngineRun;
	ended: Promise<EngineRun>;
	end(run: EngineRun): void;
}

type Door = (request: WebhookRequest) => Promise<WebhookReply>;

/** Starts the doors of an instance on a free port of this machine. Close it, or the process stays alive. */
export async function startInstance(): Promise<Instance> {
	const executions = new Map<string, Known>();
	const doors = new Map<string, Door>();
	const server = createServer((request, response) => {
		answer(request, response, executions, doors).catch((error: Error) => {
			// A file that is under way when the caller leaves has its headers sent already.
			if (!response.headersSent) reply(response, { status: 500, body: { message: error.message } });
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

	return {
		baseUrl,
		async run(json, options = {}) {
			const executionId = options.executionId ?? randomUUID();
			const known = newlyKnown();
			executions.set(executionId, known);
			return note(
				known,
				await runWorkflow(json, { ...options, executionId, instanceBaseUrl: baseUrl }),
			);
		},
		async ended(executionId) {
			const known = executions.get(executionId);
			if (known === undefined) throw new Error(`No execution ${executionId}`);
			return await known.ended;
		},
		activate(json, given, onRun) {
			const options = { ...given, instanceBaseUrl: baseUrl };
			const urls = webhookUrls(json, options);
			for (const url of urls) {
				doors.set(new URL(url).pathname, async (request) => {
					const { reply: replied, run } = await callTrigger(json, request, options);
					if (run !== undefined) onRun(run);
					return replied;
				});
			}
			return urls;
		},
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

async function answer(
	incoming: IncomingMessage,
	response: ServerResponse,
	executions: Map<string, Known>,
	doors: Map<string, Door>,
): Promise<void> {
	const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
	if (pathname === '/rest/binary-data/signed')
		return await sendFile(response, searchParams.get('token') ?? '');
	const request = await webhookRequest(incoming, pathname, searchParams);
	const waiting = /^\/webhook-waiting\/([^/]+)$/.exec(pathname)?.[1];
	if (waiting !== undefined) return reply(response, await resume(executions.get(waiting), request));
	const client = doors.get(pathname);
	reply(
		response,
		client === undefined
			? { status: 404, body: { message: 'Nothing listens here' } }
			: await client(request),
	);
}

async function resume(known: Known | undefined, request: WebhookRequest): Promise<WebhookReply> {
	if (known === undefined) return { status: 404, body: { message: 'No such execution' } };
	const { run } = known;
	if (run === undefined)
		return { status: 409, body: { message: 'The execution is running already' } };
	if (request.query?.signature !== run.run.data.resumeToken)
		return { status: 401, body: { message: 'Invalid token' } };
	// Calls to a parked execution are heard side by side; n8n lets one of them resume it.
	const outcome: WebhookOutcome = await callWaiting(run, request, () => {
		const isFirst = known.run === run;
		if (isFirst) known.run = undefined;
		return isFirst;
	});
	if (outcome.run) note(known, outcome.run);
	return outcome.reply;
}

function note(known: Known, run: EngineRun): EngineRun {
	known.run = run;
	if (run.status !== 'waiting') known.end(run);
	return run;
}

function newlyKnown(): Known {
	let end: Known['end'] = () => {};
	const ended = new Promise<EngineRun>((resolve) => (end = resolve));
	return { ended, end };
}

function webhookUrls(json: WorkflowJson, options: EngineOptions): string[] {
	const { workflow, additionalData } = prepareExecution(json, options);
	return Object.values(workflow.nodes).flatMap((node) => {
		const { description } = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
		const starting = (description.webhooks ?? []).filter(
			({ restartWebhook }) => restartWebhook !== true,
		);
		return starting.map(({ path, isFullPath }) => {
			const resolved = workflow.expression.getSimpleParameterValue(
				node,
				path,
				'webhook',
				{},
			) as string;
			return NodeHelpers.getNodeWebhookUrl(
				additionalData.webhookBaseUrl,
				workflow.id,
				node,
				resolved,
				isFullPath === true,
			);
		});
	});
}

async function webhookRequest(
	incoming: IncomingMessage,
	path: string,
	query: URLSearchParams,
): Promise<WebhookRequest> {
	const chunks: Buffer[] = [];
	for await (const chunk of incoming) chunks.push(chunk as Buffer);
	const text = Buffer.concat(chunks).toString();
	const json = incoming.headers['content-type']?.includes('json') === true && text !== '';
	return {
		method: incoming.method as IHttpRequestMethods,
		path,
		headers: incoming.headers as Record<string, string>,
		query: Object.fromEntries(query),
		body: json ? (JSON.parse(text) as IDataObject) : text === '' ? {} : text,
	};
}

async function sendFile(response: ServerResponse, token: string): Promise<void> {
	const files = await binaryDataService();
	let id: string;
	try {
		id = files.validateSignedToken(token);
	} catch {
		return reply(response, { status: 401, body: { message: 'Invalid token' } });
	}
	const { mimeType = 'application/octet-stream', fileSize } = await files.getMetadata(id);
	response.writeHead(200, { 'content-type': mimeType, 'content-length': String(fileSize) });
	await pipeline(await files.getAsStream(id), response);
}

function reply(response: ServerResponse, { status, headers, body }: WebhookReply): void {
	const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
	const type = typeof body === 'string' ? 'text/plain' : 'application/json';
	response.writeHead(status, { 'content-type': type, ...headers }).end(text);
}
