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
import type { WebhookResponse, WebhookRequest } from './webhookExchange';

/** The HTTP server of an n8n instance: resume links, webhook triggers, signed files. */
export interface Instance {
	baseUrl: string;
	/** Runs a workflow whose links lead here. If it suspends itself, its resume link works. */
	run(json: WorkflowJson, options?: EngineOptions): Promise<EngineRun>;
	/** The run of an execution once it waits no longer. */
	waitForEnd(executionId: string): Promise<EngineRun>;
	/** Registers the webhooks of a workflow's triggers and returns their production URLs. */
	activate(json: WorkflowJson, options: EngineOptions, onRun: (run: EngineRun) => void): string[];
	close(): Promise<void>;
}

interface TrackedExecution {
	run?: EngineRun;
	ended: Promise<EngineRun>;
	end(run: EngineRun): void;
}

type WebhookHandler = (request: WebhookRequest) => Promise<WebhookResponse>;

/** Starts the server of an instance on a free local port. Close it, or the process stays alive. */
export async function startInstance(): Promise<Instance> {
	const executions = new Map<string, TrackedExecution>();
	const handlers = new Map<string, WebhookHandler>();
	const server = createServer((request, response) => {
		handleRequest(request, response, executions, handlers).catch((error: Error) => {
			// A file that is under way when the caller leaves has its headers sent already.
			if (!response.headersSent)
				sendResponse(response, { status: 500, body: { message: error.message } });
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

	return {
		baseUrl,
		async run(json, options = {}) {
			const executionId = options.executionId ?? randomUUID();
			const execution = trackExecution();
			executions.set(executionId, execution);
			return recordRun(
				execution,
				await runWorkflow(json, { ...options, executionId, instanceBaseUrl: baseUrl }),
			);
		},
		async waitForEnd(executionId) {
			const execution = executions.get(executionId);
			if (execution === undefined) throw new Error(`No execution ${executionId}`);
			return await execution.ended;
		},
		activate(json, given, onRun) {
			const options = { ...given, instanceBaseUrl: baseUrl };
			const urls = getWebhookUrls(json, options);
			for (const url of urls) {
				handlers.set(new URL(url).pathname, async (request) => {
					const { response: replied, run } = await callTrigger(json, request, options);
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

async function handleRequest(
	incoming: IncomingMessage,
	response: ServerResponse,
	executions: Map<string, TrackedExecution>,
	handlers: Map<string, WebhookHandler>,
): Promise<void> {
	const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
	if (pathname === '/rest/binary-data/signed')
		return await sendFile(response, searchParams.get('token') ?? '');
	const request = await readRequest(incoming, pathname, searchParams);
	const executionId = /^\/webhook-waiting\/([^/]+)$/.exec(pathname)?.[1];
	if (executionId !== undefined)
		return sendResponse(response, await resume(executions.get(executionId), request));
	const handler = handlers.get(pathname);
	sendResponse(
		response,
		handler === undefined
			? { status: 404, body: { message: 'Nothing listens here' } }
			: await handler(request),
	);
}

async function resume(
	execution: TrackedExecution | undefined,
	request: WebhookRequest,
): Promise<WebhookResponse> {
	if (execution === undefined) return { status: 404, body: { message: 'No such execution' } };
	const { run } = execution;
	if (run === undefined)
		return { status: 409, body: { message: 'The execution is running already' } };
	if (request.query?.signature !== run.run.data.resumeToken)
		return { status: 401, body: { message: 'Invalid token' } };
	// Several calls may reach a waiting execution at once; n8n lets one of them resume it.
	const outcome: WebhookOutcome = await callWaiting(run, request, () => {
		const isFirst = execution.run === run;
		if (isFirst) execution.run = undefined;
		return isFirst;
	});
	if (outcome.run) recordRun(execution, outcome.run);
	return outcome.response;
}

function recordRun(execution: TrackedExecution, run: EngineRun): EngineRun {
	execution.run = run;
	if (run.status !== 'waiting') execution.end(run);
	return run;
}

function trackExecution(): TrackedExecution {
	let end: TrackedExecution['end'] = () => {};
	const ended = new Promise<EngineRun>((resolve) => (end = resolve));
	return { ended, end };
}

function getWebhookUrls(json: WorkflowJson, options: EngineOptions): string[] {
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

async function readRequest(
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
		return sendResponse(response, { status: 401, body: { message: 'Invalid token' } });
	}
	const { mimeType = 'application/octet-stream', fileSize } = await files.getMetadata(id);
	response.writeHead(200, { 'content-type': mimeType, 'content-length': String(fileSize) });
	await pipeline(await files.getAsStream(id), response);
}

function sendResponse(response: ServerResponse, { status, headers, body }: WebhookResponse): void {
	const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
	const type = typeof body === 'string' ? 'text/plain' : 'application/json';
	response.writeHead(status, { 'content-type': type, ...headers }).end(text);
}
