import type { IDataObject, INode } from 'n8n-workflow';
import type { WorkflowJson } from '../scripts/engine';

function node(name: string, type: string, typeVersion: number, parameters: IDataObject, credential?: string): INode {
  return {
    id: name.replace(/\W+/g, '-').toLowerCase(),
    name,
    type,
    typeVersion,
    position: [0, 0],
    parameters: parameters as INode['parameters'],
    ...(credential && { credentials: { [credential]: { id: credential, name: credential } } }),
  };
}

const model = (value: string) => ({ __rl: true, mode: 'id', value });

/** The same prompts to both nodes, one after the other. */
export function chatContest(chats: number): WorkflowJson & { id: string } {
  const to = (name: string) => ({ main: [[{ node: name, type: 'main' as const, index: 0 }]] });
  const prompts = node('Prompts', 'n8n-nodes-base.code', 2, {
    jsCode: `return Array.from({ length: ${chats} }, (_, row) => ({ json: { prompt: 'Row ' + row } }));`,
  });
  const again = node('Prompts Again', 'n8n-nodes-base.code', 2, { jsCode: "return $('Prompts').all();" });
  return {
    id: 'chatContest',
    name: 'Chat contest',
    nodes: [
      node('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
      prompts,
      node('Generation Gateway', 'n8n-nodes-generation-gateway.generationGateway', 1, {
        resource: 'text',
        operation: 'chat',
        model: model('gp-4o-mini'),
        messages: { entry: [{ role: 'user', text: '={{ $json.prompt }}' }] },
      }, 'generationGatewayApi'),
      again,
      node('OpenAI', '@n8n/n8n-nodes-langchain.openAi', 1.8, {
        modelId: model('gpt-4o-mini'),
        messages: { values: [{ content: '={{ $json.prompt }}' }] },
        options: {},
      }, 'openAiApi'),
    ],
    connections: {
      Start: to('Prompts'),
      Prompts: to('Generation Gateway'),
      'Generation Gateway': to('Prompts Again'),
      'Prompts Again': to('OpenAI'),
    },
    settings: { executionOrder: 'v1' },
  };
}
