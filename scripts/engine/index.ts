export { file, itemsNode, linear } from './builder';
export type { GivenItem, NodeSpec } from './builder';
export type { BinaryMode } from './container';
export type { EngineOptions, WorkflowJson } from './options';
export { EngineRun } from './result';
export { runWorkflow } from './run';
export { executeAsTool, TOOL_CALLER, TOOL_NODE } from './tool';
