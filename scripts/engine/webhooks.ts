import { WebhookContext } from 'n8n-core';
import { createRunExecutionData, isNodeClassInstance } from 'n8n-workflow';
import type {
	IDataObject,
	INode,
	INodeType,
	IRunExecutionData,
	ITaskData,
	IWebhookDescription,
	IWebhookResponseData,
} from 'n8n-workflow';

import { binaryDataService } from './container';
import { prepareExecution, resumeTokenOf } from './execution';
import type { Execution } from './execution';
import type { EngineOptions, WorkflowJson } from './options';
import type { EngineRun } from './result';
import { continueExecution } from './run';
import { createExchange } from './webhookExchange';
import type { WebhookResponse, WebhookRequest } from './webhookExchange';

/** What the caller of a webhook got, and the run that the call started or went on with, if it did. */
export interface WebhookOutcome {
	response: WebhookResponse;
	run?: EngineRun;
}

/** Calls the webhook of the workflow's trigger, as a request to its production URL would. */
export async function callTrigger(
	json: WorkflowJson,
	request: WebhookRequest,
	options: EngineOptions = {},
): Promise<WebhookOutcome> {
	const execution = prepareExecution(json, { mode: 'webhook', ...options });
	const node = Object.values(execution.workflow.nodes).find(
		(candidate) =>
			candidate.disabled !== true &&
			(options.startNode === undefined
				? findWebhook(execution, candidate, request, false)
				: candidate.name === options.startNode),
	);
	if (node === undefined) return { response: notFound };
	const { response, workflowData } = await callWebhook(execution, node, request, null);
	if (workflowData === undefined) return { response };
	const data = createRunExecutionData({
		executionData: { nodeExecutionStack: [{ node, data: { main: workflowData }, source: null }] },
		resumeToken: resumeTokenOf(execution),
	});
	return { response, run: await continueExecution(execution, data) };
}

/**
 * Calls the resume link of a waiting run. Without `run` in the result the execution is still waiting,
 * and the same run may be called again. `mayResume` is called once before it resumes; a second resume is an error in n8n.
 */
export async function callWaiting(
	waitingRun: EngineRun,
	request: WebhookRequest,
	mayResume: () => boolean = () => true,
): Promise<WebhookOutcome> {
	if (waitingRun.status !== 'waiting')
		return { response: { status: 409, body: { message: 'The execution is not waiting' } } };
	const stored = structuredClone(waitingRun.run.data);
	const execution = continueAs(waitingRun);
	const node = execution.workflow.getNode(stored.resultData.lastNodeExecuted ?? '');
	const [stackItem] = stored.executionData?.nodeExecutionStack ?? [];
	if (node === null || stackItem === undefined || !findWebhook(execution, node, request, true))
		return { response: notFound };

	stackItem.node.disabled = true;
	stored.waitTill = undefined;
	forgetLastRun(stored.resultData.runData[node.name] ?? []);
	const answer = await callWebhook(execution, node, request, stored);
	const { response, workflowData } = answer;
	if (workflowData === undefined) return { response };
	if (!mayResume()) return { response: answer.isSent ? response : refused };
	stackItem.data.main = workflowData;
	return { response, run: await continueExecution(execution, stored) };
}

/** Takes back the run that has waited. A call of an agent keeps its arguments, for the calls behind it, too. */
function forgetLastRun(runs: ITaskData[]): void {
	const { inputOverride, source = [] } = runs.pop() ?? {};
	if (inputOverride === undefined) return;
	runs.push({ inputOverride, source, startTime: 0, executionTime: 0, executionIndex: 0 });
}

/** Lets the time of a waiting run pass: the node is skipped and its stored input goes on as its output. */
export async function resumeAfterWait(waitingRun: EngineRun): Promise<EngineRun> {
	return await continueExecution(continueAs(waitingRun), structuredClone(waitingRun.run.data));
}

const notFound: WebhookResponse = {
	status: 404,
	body: { message: 'No webhook takes this request' },
};

const refused: WebhookResponse = {
	status: 500,
	body: { message: 'There was a problem executing the workflow' },
};

function continueAs({ execution }: EngineRun): Execution {
	return prepareExecution(execution.json, {
		...execution.options,
		executionId: execution.executionId,
		mode: execution.mode,
	});
}

/** The webhook that takes the request. Of those that resume, the one whose path is the last part of the link. */
function findWebhook(
	{ workflow, mode }: Execution,
	node: INode,
	{ method = 'POST', suffix = '' }: WebhookRequest,
	restart: boolean,
): IWebhookDescription | undefined {
	const { description, webhook } = workflow.nodeTypes.getByNameAndVersion(
		node.type,
		node.typeVersion,
	);
	if (webhook === undefined) return undefined;
	const evaluate = (value: string) =>
		workflow.expression.getSimpleParameterValue(node, value, mode, {});
	return description.webhooks?.find(
		(candidate) =>
			(candidate.restartWebhook === true) === restart &&
			candidate.nodeType !== 'form' &&
			evaluate(candidate.httpMethod) === method &&
			(!restart || evaluate(candidate.path) === suffix),
	);
}

interface WebhookAnswer {
	response: WebhookResponse;
	/** The node has answered the caller by itself, before the workflow goes on. */
	isSent?: boolean;
	workflowData?: IWebhookResponseData['workflowData'];
}

async function callWebhook(
	execution: Execution,
	node: INode,
	request: WebhookRequest,
	data: IRunExecutionData | null,
): Promise<WebhookAnswer> {
	const { workflow, mode } = execution;
	const type = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
	const { httpRequest, httpResponse, sent } = createExchange(request);
	const additionalData = {
		...execution.additionalData,
		httpRequest,
		httpResponse,
		executionId: data === null ? undefined : execution.executionId,
	};
	const webhookDescription = findWebhook(
		execution,
		node,
		request,
		data !== null,
	) as IWebhookDescription;
	const context = new WebhookContext(
		workflow,
		node,
		additionalData,
		mode,
		{
			httpMethod: request.method ?? 'POST',
			node: node.name,
			path: '',
			workflowId: workflow.id,
			workflowExecuteAdditionalData: additionalData,
			webhookDescription,
		},
		[],
		data,
	);
	await binaryDataService(execution.options.binaryMode);
	try {
		const { workflowData, webhookResponse, noWebhookResponse } = await callNode(type, context);
		// With a run, n8n prefers what the description says, and that is this text unless it is set.
		const { responseData = 'firstEntryJson' } = webhookDescription;
		const given = webhookResponse ?? { message: 'Workflow was started' };
		const body = ((workflowData && responseData) || given) as IDataObject | string;
		const isSent = noWebhookResponse === true;
		return { response: isSent ? sent : { status: 200, body }, isSent, workflowData };
	} catch (error) {
		return { response: { status: 500, body: { message: (error as Error).message } } };
	}
}

async function callNode(type: INodeType, context: WebhookContext): Promise<IWebhookResponseData> {
	const answer = isNodeClassInstance(type) ? type.webhook?.(context) : type.webhook?.call(context);
	return (await answer) ?? {};
}
