import { WorkflowExecute } from 'n8n-core';
import { createRunExecutionData, generateSecureToken, Workflow } from 'n8n-workflow';
import type { ExecutionError, INode, IRun, WorkflowExecuteMode } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import { additionalData } from './additionalData';
import { binaryDataService } from './container';
import type { BinaryMode } from './container';
import { ITEMS_TYPE } from './harnessNodes';
import { EngineNodeTypes } from './nodeTypes';
import type { EngineOptions, WorkflowJson } from './options';
import { EngineRun } from './result';

const running = new Map<BinaryMode, number>([['filesystem', 0], ['default', 0]]);

/**
 * Runs a workflow through n8n's own engine, without a server: real contexts, helpers, expressions and retries.
 * Never rejects for what a node did: look at `status`, `error` and `nodeError` of the answer.
 */
export async function runWorkflow(json: WorkflowJson, options: EngineOptions = {}): Promise<EngineRun> {
  const binaryMode = options.binaryMode ?? 'filesystem';
  const other = binaryMode === 'filesystem' ? 'default' : 'filesystem';
  if (count(other, 0) > 0) throw new Error('Runs at the same time must keep their files in the same place');
  count(binaryMode, 1);
  try {
    await binaryDataService(binaryMode);
    return await execute(json, options);
  } finally {
    count(binaryMode, -1);
  }
}

async function execute(json: WorkflowJson, options: EngineOptions): Promise<EngineRun> {
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
  const execution = new WorkflowExecute(
    additionalData(json, workflow, executionId, mode, options),
    mode,
    createRunExecutionData({ resumeToken: generateSecureToken() }),
  );
  return new EngineRun(await finished(execution, workflow, json, mode, options), executionId);
}

async function finished(
  execution: WorkflowExecute, workflow: Workflow, json: WorkflowJson, mode: WorkflowExecuteMode, options: EngineOptions,
): Promise<IRun> {
  const startedAt = new Date();
  const { signal, destinationNode } = options;
  try {
    const promise = execution.run({
      workflow,
      startNode: startNode(workflow, options.startNode),
      destinationNode: destinationNode === undefined ? undefined : { nodeName: destinationNode, mode: 'inclusive' },
      pinData: json.pinData,
    });
    const cancel = () => promise.cancel();
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    return await promise.finally(() => signal?.removeEventListener('abort', cancel));
  } catch (error) {
    return refused(error as ExecutionError, mode, startedAt);
  }
}

/** A workflow that the engine will not start (a required field is empty, say) ends as n8n's server records it. */
function refused(error: ExecutionError, mode: WorkflowExecuteMode, startedAt: Date): IRun {
  const data = createRunExecutionData({ resultData: { error } });
  return { data, mode, startedAt, stoppedAt: new Date(), storedAt: 'db', status: 'error' };
}

function startNode(workflow: Workflow, name?: string): INode | undefined {
  const nodes = Object.values(workflow.nodes).filter(({ disabled }) => disabled !== true);
  if (name !== undefined) return nodes.find((node) => node.name === name);
  return nodes.find(({ type }) => type === ITEMS_TYPE)
    ?? workflow.getStartNode()
    ?? nodes.find((node) => workflow.getParentNodes(node.name).length === 0
      && workflow.connectionsBySourceNode[node.name]?.main !== undefined);
}

function count(mode: BinaryMode, change: number): number {
  const now = (running.get(mode) ?? 0) + change;
  running.set(mode, now);
  return now;
}
