import type { WorkflowJson } from '../../scripts/engine';
import { linear, type NodeSpec } from '../../scripts/engine/builder';
import { CREDENTIAL } from '../../scripts/host/n8nHost';
import { located, type Address } from './flow';
import { chat } from './ours';

const PROMPT = '={{ $json.body.prompt }}';

/** A webhook whose client gets what the node streams while it runs; nothing is written to n8n's database. */
export const createStreamFlow = (
	name: string,
	node: NodeSpec,
): WorkflowJson & { name: string } => ({
	...linear(
		{
			name: 'Prompt',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2.1,
			webhookId: name,
			parameters: { httpMethod: 'POST', path: name, responseMode: 'streaming', options: {} },
		},
		node,
	),
	name,
	settings: { executionOrder: 'v1', saveDataSuccessExecution: 'none' },
});

/** This package's node. */
export const streamedChat = (): NodeSpec => {
	const node = chat();
	return {
		...node,
		parameters: { ...node.parameters, messages: { entry: [{ role: 'user', text: PROMPT }] } },
	};
};

/** Hands on what comes, unread; made for this contest. */
export const pipe = ({ url, key }: Address): NodeSpec => ({
	name: 'Pipe',
	type: 'CUSTOM.pipe',
	parameters: {
		url,
		key,
		body: "={{ JSON.stringify({ model: 'gp-4o-mini', stream: true, messages: [{ role: 'user', content: $json.body.prompt }] }) }}",
	},
});

/** n8n's AI Agent with a chat model that is plugged into it. */
const agent = (model: NodeSpec): NodeSpec => ({
	name: 'AI Agent',
	type: '@n8n/n8n-nodes-langchain.agent',
	typeVersion: 2.2,
	parameters: { promptType: 'define', text: PROMPT, options: {} },
	subNodes: { ai_languageModel: [model] },
});

export const agentWithOurModel = (): NodeSpec =>
	agent({
		name: 'Model',
		type: 'n8n-nodes-generation-gateway.lmChatGenerationGateway',
		credentials: { [CREDENTIAL.type]: { id: CREDENTIAL.id, name: CREDENTIAL.name } },
		parameters: { model: located('gp-4o-mini'), options: {} },
	});

export const agentWithOpenAi = (): NodeSpec =>
	agent({
		name: 'Model',
		type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
		typeVersion: 1.2,
		credentials: { openAiApi: { id: 'openAiApi', name: 'openAiApi' } },
		parameters: { model: located('gpt-4o-mini'), options: {} },
	});
