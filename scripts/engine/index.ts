/**
 * Runs workflows through n8n's own engine (n8n-core), without a server, a database or a mocked `this`.
 *
 *   const run = await runWorkflow(linear(itemsNode([{ n: 1 }]), { type: 'n8n-nodes-base.noOp' }));
 *   run.json('noOp'); // [{ n: 1 }]
 */
export { file, itemsNode, linear } from './builder';
export type { GivenItem, NodeSpec } from './builder';
export type { BinaryMode } from './container';
export { startInstance } from './instance';
export type { Instance } from './instance';
export { loadOptions, searchList } from './lists';
export type { EngineOptions, WorkflowJson } from './options';
export { EngineRun } from './result';
export { retryExecution, runWorkflow } from './run';
export { asTool, executeAsTool, TOOL_CALLER } from './tool';
export type { WebhookResponse, WebhookRequest } from './webhookExchange';
export { callTrigger, callWaiting, resumeAfterWait } from './webhooks';
export type { WebhookOutcome } from './webhooks';
