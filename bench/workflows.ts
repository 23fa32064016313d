import type { IDataObject, INode } from 'n8n-workflow';
import type { WorkflowJson } from '../scripts/engine';
import { linear, type NodeSpec } from '../scripts/engine/builder';
import { CREDENTIAL } from '../scripts/host/host';

export const GATEWAY = 'n8n-nodes-generation-gateway.generationGateway';
export const IMAGE_MODEL = 'gmn-2.5-flash-image-preview';
/** n8n's own default for the node Wait. */
export const WAIT_SECONDS = 5;

const located = (value: string) => ({ __rl: true, mode: 'id', value });

export interface Address {
  url: string;
  key: string;
}

/** A webhook that takes rows and answers when the workflow has ended; nothing is written to n8n's database. */
export function flow(name: string, answer: 'allEntries' | 'noData', ...nodes: NodeSpec[]): WorkflowJson & { name: string } {
  const workflow = linear(
    {
      name: 'Rows',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      webhookId: name,
      parameters: { httpMethod: 'POST', path: name, responseMode: 'lastNode', responseData: answer, options: {} },
    },
    { name: 'Split', type: 'n8n-nodes-base.splitOut', parameters: { fieldToSplitOut: 'body.rows', options: {} } },
    ...nodes,
  );
  return { ...workflow, name, settings: { executionOrder: 'v1', saveDataSuccessExecution: 'none', saveManualExecutions: false } };
}

/** This package's node. */
export const gateway = (parameters: IDataObject): NodeSpec => ({
  name: 'Generation Gateway',
  type: GATEWAY,
  credentials: { [CREDENTIAL.type]: { id: CREDENTIAL.id, name: CREDENTIAL.name } },
  parameters: parameters as INode['parameters'],
});

export const image = (options: IDataObject = {}): NodeSpec =>
  gateway({ resource: 'image', operation: 'generate', model: located(IMAGE_MODEL), prompt: '={{ $json.prompt }}', wait: 'poll', options });

export const chat = (options: IDataObject = {}): NodeSpec =>
  gateway({
    resource: 'text',
    operation: 'chat',
    model: located('gp-4o-mini'),
    messages: { entry: [{ role: 'user', text: '={{ $json.prompt }}' }] },
    options,
  });

export const embedding = (): NodeSpec =>
  gateway({ resource: 'embedding', operation: 'create', model: located('text-embedding-3-small'), input: '={{ $json.prompt }}' });

export const awaitById = (parameters: IDataObject = {}): NodeSpec =>
  gateway({ resource: 'task', operation: 'await', taskId: '={{ $json.task_id }}', ...parameters });

export const video = (options: IDataObject): NodeSpec =>
  gateway({ resource: 'video', operation: 'generate', model: located('clipk-v2.6'), prompt: '={{ $json.prompt }}', wait: 'poll', options });

const EXPRESSION = '={{ JSON.stringify({ prompt: $json.prompt, steps: 20 }) }}';

/** Reads, checks and prices every item, and sends none; with one expression for each item, or with none. */
export const dryRun = (parameters = EXPRESSION): NodeSpec =>
  gateway({
    resource: 'task',
    operation: 'submit',
    model: located('flx-2-flex'),
    parameters,
    options: { dryRun: true },
  });

/** n8n's own node with the same one expression, or with none. */
export const editFields = (value = EXPRESSION): NodeSpec => ({
  type: 'n8n-nodes-base.set',
  typeVersion: 3.4,
  parameters: { assignments: { assignments: [{ id: 'a', name: 'body', type: 'string', value }] }, options: {} },
});

export const transcribe = (): NodeSpec => gateway({ resource: 'audio', operation: 'transcribe' });

/** n8n's OpenAI node, on the chat completions of the same gateway. */
export const openAiChat = (): NodeSpec => ({
  name: 'OpenAI',
  type: '@n8n/n8n-nodes-langchain.openAi',
  typeVersion: 1.8,
  credentials: { openAiApi: { id: 'openAiApi', name: 'openAiApi' } },
  parameters: { modelId: located('gpt-4o-mini'), messages: { values: [{ content: '={{ $json.prompt }}' }] }, options: {} },
});

export const openAiTranscribe = (): NodeSpec => {
  const chats = openAiChat();
  return { ...chats, parameters: { resource: 'audio', operation: 'transcribe', binaryPropertyName: 'data', options: {} } };
};

/** A file of this machine into n8n's storage. */
export const readFile = (file: string): NodeSpec => ({ name: 'Read', type: 'n8n-nodes-base.readWriteFile', parameters: { fileSelector: file, options: {} } });

/** n8n's HTTP Request; a row that is refused goes on with its error. */
export const httpRequest = (name: string, { key }: Address, method: 'GET' | 'POST', url: string, body?: string, options: IDataObject = {}): NodeSpec => ({
  name,
  type: 'n8n-nodes-base.httpRequest',
  typeVersion: 4.2,
  onError: 'continueRegularOutput',
  parameters: {
    method,
    url,
    sendHeaders: true,
    headerParameters: { parameters: [{ name: 'Authorization', value: `Bearer ${key}` }] },
    ...(body && { sendBody: true, specifyBody: 'json', jsonBody: body }),
    options: options as INode['parameters'],
  },
});

const TASK = `={{ JSON.stringify({ model: '${IMAGE_MODEL}', prompt: $json.prompt }) }}`;
const CHAT = "={{ JSON.stringify({ model: 'gp-4o-mini', messages: [{ role: 'user', content: $json.prompt }] }) }}";

/** At most `size` requests every `everyMs`; without it, all at once. */
export const batching = (size: number, everyMs: number): IDataObject => ({ batching: { batch: { batchSize: size, batchInterval: everyMs } } });

export const httpChat = (at: Address, options?: IDataObject): NodeSpec =>
  httpRequest('Chat', at, 'POST', `${at.url}/v1/chat/completions`, CHAT, options);

export const httpEmbedding = (at: Address): NodeSpec =>
  httpRequest('Embed', at, 'POST', `${at.url}/v1/embeddings`, "={{ JSON.stringify({ model: 'text-embedding-3-small', input: $json.prompt }) }}");

/** n8n's HTTP Request with the file of a link. */
export const httpDownload = (link: string): NodeSpec => ({
  name: 'Download',
  type: 'n8n-nodes-base.httpRequest',
  typeVersion: 4.2,
  parameters: { url: link, options: { response: { response: { responseFormat: 'file' } } } },
});

export const httpTranscribe = (at: Address): NodeSpec => {
  const request = httpRequest('Transcribe', at, 'POST', `${at.url}/v1/audio/transcriptions`);
  const form = [
    { parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' },
    { parameterType: 'formData', name: 'model', value: 'asr-1' },
  ];
  return { ...request, onError: undefined, parameters: { ...request.parameters, sendBody: true, contentType: 'multipart-form-data', bodyParameters: { parameters: form } } };
};

export const serial = ({ url, key }: Address): NodeSpec => ({ name: 'Serial', type: 'CUSTOM.serial', parameters: { url, key, body: TASK } });

const isCompleted: IDataObject = {
  options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
  conditions: [{ id: 'done', leftValue: '={{ $json.status }}', rightValue: 'completed', operator: { type: 'string', operation: 'equals' } }],
  combinator: 'and',
};

const loopNodes = (at: Address): NodeSpec[] => [
  httpRequest('Submit', at, 'POST', `${at.url}/v1/tasks`, TASK),
  { name: 'Wait', type: 'n8n-nodes-base.wait', typeVersion: 1.1, webhookId: 'wait', parameters: { amount: WAIT_SECONDS, unit: 'seconds' } },
  httpRequest('Status', at, 'GET', `=${at.url}/v1/tasks/{{ $json.task_id }}`),
  { name: 'If', type: 'n8n-nodes-base.if', typeVersion: 2.2, parameters: { conditions: isCompleted as never, options: {} } },
];

const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];

/** Submit, Wait, Status, If and back to Wait, with all rows at once. */
export function loopTogether(at: Address, name = 'loopTogether'): WorkflowJson & { name: string } {
  const workflow = flow(name, 'allEntries', ...loopNodes(at), { name: 'Done', type: 'n8n-nodes-base.noOp' });
  workflow.connections.If = { main: [to('Done'), to('Wait')] };
  return workflow;
}

/** The same for one row at a time, in Loop Over Items. */
export function loopOneByOne(at: Address): WorkflowJson & { name: string } {
  const over: NodeSpec = { name: 'Loop Over Items', type: 'n8n-nodes-base.splitInBatches', typeVersion: 3, parameters: { options: {} } };
  const workflow = flow('loopOneByOne', 'allEntries', over, ...loopNodes(at), { name: 'Done', type: 'n8n-nodes-base.noOp' });
  workflow.connections['Loop Over Items'] = { main: [to('Done'), to('Submit')] };
  workflow.connections.If = { main: [to('Loop Over Items'), to('Wait')] };
  return workflow;
}

/** Submits with the execution's own link as callback, parks until it is called, and tells the gateway that it has gone on. */
export function parkedFlow(at: Address): WorkflowJson & { name: string } {
  const submit = { ...image({ callbackExecution: true }), name: 'Submit' };
  const workflow = flow(
    'parked',
    'noData',
    { ...submit, parameters: { ...submit.parameters, wait: 'none' } },
    awaitById({ waitBy: 'suspend' }),
    httpRequest('Report', at, 'GET', `=${at.url}/v1/models?done={{ $json.task_id }}`),
  );
  Object.assign(workflow.nodes[0]!.parameters, { responseMode: 'onReceived' });
  return workflow;
}
