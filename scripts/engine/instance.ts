import { NodeHelpers } from 'n8n-workflow';
import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';

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
	/** The run of an execution so far: up to where it waits, or its end. */
	latest(executionId: string): Promise<EngineRun>;
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
	const app = fastify({ forceCloseConnections: true });
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
	app.setErrorHandler(async (error: Error, _request, reply) =>
		reply.code(500).send({ message: error.message }),
	);
	app.get<{ Querystring: { token?: string } }>(
		'/rest/binary-data/signed',
		async ({ query }, reply) => await sendFile(reply, query.token ?? ''),
	);
	for (const route of ['/webhook-waiting/:executionId', '/webhook-waiting/:executionId/:suffix'])
		app.all<{ Params: { executionId: string; suffix?: string } }>(route, async (request, reply) => {
			const { executionId, suffix } = request.params;
			const resuming = { ...readRequest(request), suffix };
			return sendResponse(reply, await resume(executions.get(executionId), resuming));
		});
	app.all('*', async (request, reply) => {
		const handler = handlers.get(getPath(request));
		return sendResponse(
			reply,
			handler
				? await handler(readRequest(request))
				: { status: 404, body: { message: 'Nothing listens here' } },
		);
	});
	await app.listen({ port: 0, host: '127.0.0.1' });
	const baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

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
		async latest(executionId) {
			const execution = executions.get(executionId);
			if (execution === undefined) throw new Error(`No execution ${executionId}`);
			while (!execution.run) await new Promise((resolve) => setTimeout(resolve, 5));
			return execution.run;
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
		close: async () => await app.close(),
	};
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

const getPath = ({ url }: FastifyRequest): string => new URL(url, 'http://localhost').pathname;

function readRequest(request: FastifyRequest): WebhookRequest {
	const text = (request.body as string | undefined) ?? '';
	const isJson = request.headers['content-type']?.includes('json') === true && text !== '';
	return {
		method: request.method as IHttpRequestMethods,
		path: getPath(request),
		headers: request.headers as Record<string, string>,
		query: request.query as Record<string, string>,
		body: isJson ? (JSON.parse(text) as IDataObject) : text === '' ? {} : text,
	};
}

async function sendFile(reply: FastifyReply, token: string): Promise<FastifyReply> {
	const files = await binaryDataService();
	let id: string;
	try {
		id = files.validateSignedToken(token);
	} catch {
		return sendResponse(reply, { status: 401, body: { message: 'Invalid token' } });
	}
	const { mimeType = 'application/octet-stream', fileSize } = await files.getMetadata(id);
	return await reply
		.header('content-type', mimeType)
		.header('content-length', fileSize)
		.send(await files.getAsStream(id));
}

function sendResponse(
	reply: FastifyReply,
	{ status, headers = {}, body }: WebhookResponse,
): FastifyReply {
	return reply
		.code(status)
		.type(typeof body === 'string' ? 'text/plain' : 'application/json')
		.headers(headers)
		.send(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
}
