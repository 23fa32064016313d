import { Container } from '@n8n/di';
import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import { UserError } from 'n8n-workflow';
import type { IWorkflowExecuteAdditionalData, Workflow, WorkflowExecuteMode } from 'n8n-workflow';

import { runCodeJob } from './codeRunner';
import type { CodeJob } from './codeRunner';
import { EngineCredentials } from './credentials';
import type { EngineOptions, WorkflowJson } from './options';

/** What n8n's server hands to the engine beside the workflow: credentials, links, hooks, the runner of Code nodes. */
export function createAdditionalData(
	json: WorkflowJson,
	workflow: Workflow,
	executionId: string,
	mode: WorkflowExecuteMode,
	options: EngineOptions,
): IWorkflowExecuteAdditionalData {
	const base = options.instanceBaseUrl ?? 'http://localhost:5678';
	return {
		credentialsHelper: new EngineCredentials(
			{ ...options.credentialTypes },
			{ ...options.credentials },
			() => workflow,
		),
		hooks: hooks(json, executionId, mode, options),
		externalSecretsProxy: Container.get(ExternalSecretsProxy),
		executionId,
		workflowId: workflow.id,
		currentNodeExecutionIndex: 0,
		streamingEnabled: options.onChunk !== undefined,
		variables: options.variables ?? {},
		restApiUrl: `${base}/rest`,
		instanceBaseUrl: `${base}/`,
		webhookBaseUrl: `${base}/webhook`,
		webhookWaitingBaseUrl: `${base}/webhook-waiting`,
		webhookTestBaseUrl: `${base}/webhook-test`,
		formBaseUrl: `${base}/form`,
		formWaitingBaseUrl: `${base}/form-waiting`,
		formTestBaseUrl: `${base}/form-test`,
		mcpBaseUrl: `${base}/mcp`,
		mcpTestBaseUrl: `${base}/mcp-test`,
		logAiEvent: () => {},
		setExecutionStatus: () => {},
		getRunExecutionData: async () => undefined,
		getRuntimeCredential: async () => undefined,
		executeWorkflow: async () => {
			throw new UserError('The engine harness runs no sub-workflows');
		},
		startRunnerTask,
	};
}

const startRunnerTask = (async (...[, jobType, job, context, , , , , , , , items]) =>
	await runCodeJob(
		jobType,
		job as CodeJob,
		context,
		items,
	)) as IWorkflowExecuteAdditionalData['startRunnerTask'];

function hooks(
	json: WorkflowJson,
	executionId: string,
	mode: WorkflowExecuteMode,
	{ onNodeOutput, onChunk }: EngineOptions,
): ExecutionLifecycleHooks {
	const made = new ExecutionLifecycleHooks(mode, executionId, {
		id: '',
		name: '',
		active: false,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		activeVersionId: null,
		...json,
	});
	if (onNodeOutput)
		made.addHandler('nodeExecuteAfter', (nodeName, data) => onNodeOutput(nodeName, data));
	if (onChunk) made.addHandler('sendChunk', (chunk) => onChunk(chunk));
	return made;
}
