import { linear, type WorkflowJson } from '../scripts/engine';

const model = (value: string) => ({ __rl: true, mode: 'id', value });
const credential = (type: string) => ({ [type]: { id: type, name: type } });

/** The same prompts to both nodes, one after the other. */
export function chatContest(chats: number): WorkflowJson & { id: string } {
  const rows = `return Array.from({ length: ${chats} }, (_, row) => ({ json: { prompt: 'Row ' + row } }));`;
  const workflow = linear(
    { name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
    { name: 'Prompts', type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode: rows } },
    {
      name: 'Generation Gateway',
      type: 'n8n-nodes-generation-gateway.generationGateway',
      credentials: credential('generationGatewayApi'),
      parameters: {
        resource: 'text',
        operation: 'chat',
        model: model('gp-4o-mini'),
        messages: { entry: [{ role: 'user', text: '={{ $json.prompt }}' }] },
      },
    },
    { name: 'Prompts Again', type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode: "return $('Prompts').all();" } },
    {
      name: 'OpenAI',
      type: '@n8n/n8n-nodes-langchain.openAi',
      typeVersion: 1.8,
      credentials: credential('openAiApi'),
      parameters: {
        modelId: model('gpt-4o-mini'),
        messages: { values: [{ content: '={{ $json.prompt }}' }] },
        options: {},
      },
    },
  );
  return { ...workflow, id: 'chatContest', name: 'Chat contest', settings: { executionOrder: 'v1' } };
}
