import { Workflow } from 'n8n-workflow';
import type { INode, IWorkflowExecuteAdditionalData, WorkflowExecuteMode } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import { createAdditionalData } from './additionalData';
import { prepareContainer } from './container';
import { ITEMS_TYPE } from './harnessNodes';
import { EngineNodeTypes } from './nodeTypes';
import type { EngineOptions, WorkflowJson } from './options';

/** A workflow made ready for the engine, and what is needed to make it ready again. */
export interface Execution {
	json: WorkflowJson;
	options: EngineOptions;
	executionId: string;
	mode: WorkflowExecuteMode;
	workflow: Workflow;
	additionalData: IWorkflowExecuteAdditionalData;
}

/** n8n keeps it with the execution, so a worker that takes over the job has it too. */
export const resumeTokenOf = ({ executionId }: Execution): string => `token-of-${executionId}`;

export function prepareExecution(json: WorkflowJson, options: EngineOptions = {}): Execution {
	prepareContainer();
	const mode = options.mode ?? 'trigger';
	const executionId = options.executionId ?? randomUUID();
	const workflow = new Workflow({
		id: json.id ?? 'engine',
		name: json.name ?? 'Engine',
		nodes: structuredClone(json.nodes),
		connections: json.connections,
		active: false,
		nodeTypes: new EngineNodeTypes(options.nodeTypes ?? {}),
		staticData: json.staticData,
		settings: { executionOrder: 'v1', ...json.settings },
		pinData: json.pinData,
	});
	return {
		json,
		options,
		executionId,
		mode,
		workflow,
		additionalData: createAdditionalData(json, workflow, executionId, mode, options),
	};
}

/** The node that a run begins with: the requested one, else the given items, else the first trigger or loose end. */
export function startNode({ workflow, options }: Execution): INode | undefined {
	const nodes = Object.values(workflow.nodes).filter(({ disabled }) => disabled !== true);
	if (options.startNode !== undefined) return nodes.find(({ name }) => name === options.startNode);
	return (
		nodes.find(({ type }) => type === ITEMS_TYPE) ??
		workflow.getStartNode() ??
		nodes.find(
			({ name }) =>
				workflow.getParentNodes(name).length === 0 &&
				workflow.connectionsBySourceNode[name]?.main !== undefined,
		)
	);
}
