import { GenerationGatewayApi } from '../credentials/GenerationGatewayApi.credentials';
import { EmbeddingsGenerationGateway } from '../nodes/EmbeddingsGenerationGateway/EmbeddingsGenerationGateway.node.ts';
import { GenerationGateway } from '../nodes/GenerationGateway/GenerationGateway.node.ts';
import { GenerationGatewayModelTool } from '../nodes/GenerationGatewayModelTool/GenerationGatewayModelTool.node.ts';
import { GenerationGatewayTrigger } from '../nodes/GenerationGatewayTrigger/GenerationGatewayTrigger.node.ts';
import { LmChatGenerationGateway } from '../nodes/LmChatGenerationGateway/LmChatGenerationGateway.node.ts';
import type { EngineOptions } from './engine';

/** Full type name of a node of this package, as it stands in workflows. */
export const typeOf = (name: string): string => `n8n-nodes-generation-gateway.${name}`;

/** The package as n8n would load it, with a credential for one gateway: for the demo, benches and tests. */
export function packageWith(baseUrl: string, apiKey: string): EngineOptions {
	return {
		nodeTypes: {
			[typeOf('generationGateway')]: new GenerationGateway(),
			[typeOf('generationGatewayModelTool')]: new GenerationGatewayModelTool(),
			[typeOf('generationGatewayTrigger')]: new GenerationGatewayTrigger(),
			[typeOf('embeddingsGenerationGateway')]: new EmbeddingsGenerationGateway(),
			[typeOf('lmChatGenerationGateway')]: new LmChatGenerationGateway(),
		},
		credentialTypes: { generationGatewayApi: new GenerationGatewayApi() },
		credentials: { generationGatewayApi: { baseUrl, apiKey } },
	};
}
