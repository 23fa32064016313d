import type {
	IConnections,
	ICredentialDataDecryptedObject,
	ICredentialType,
	INode,
	INodeType,
	IPinData,
	ITaskData,
	IVersionedNodeType,
	IWorkflowSettings,
	IDataObject,
	StructuredChunk,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import type { BinaryMode } from './container';

/** A workflow as the editor exports it; only nodes and connections are required. */
export interface WorkflowJson {
	id?: string;
	name?: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	pinData?: IPinData;
	staticData?: IDataObject;
}

export interface EngineOptions {
	/** Node types by full name, e.g. `n8n-nodes-generation-gateway.generationGateway`. n8n's own need no entry. */
	nodeTypes?: Record<string, INodeType | IVersionedNodeType>;
	/** Credential classes by name. n8n's own need no entry. */
	credentialTypes?: Record<string, ICredentialType>;
	/** Decrypted credential data by type name; a node's credential of that type resolves to it whatever its id. */
	credentials?: Record<string, ICredentialDataDecryptedObject>;
	/** What `getExecutionId()` answers; fresh and unique by default. */
	executionId?: string;
	/** Aborting it stops the run as the Stop button does. */
	signal?: AbortSignal;
	/** Called after each run of a node. */
	onNodeOutput?: (nodeName: string, data: ITaskData) => void;
	/** Receives what nodes stream with `sendChunk`; needs mode `manual`, `webhook`, `integrated` or `chat`. */
	onChunk?: (chunk: StructuredChunk) => void;
	/** Where files live: `filesystem` (default) or `default`, base64 inside the item. */
	binaryMode?: BinaryMode;
	/** Base of the instance's links, without a trailing slash. Default `http://localhost:5678`. */
	instanceBaseUrl?: string;
	/** Name of the node to start from, if the workflow has several starts. */
	startNode?: string;
	/** Run only what leads to this node, and the node itself. */
	destinationNode?: string;
	/** `$vars` in expressions. */
	variables?: IDataObject;
	/** Default `trigger`: triggers pass on one empty item (or their pinned data) instead of waiting for an event. */
	mode?: WorkflowExecuteMode;
}
