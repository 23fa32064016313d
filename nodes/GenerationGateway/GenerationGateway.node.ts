import {
  NodeConnectionTypes,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
} from 'n8n-workflow';
import { properties } from './actions';
import { assetReferences, searchAssets } from './asset/locator';
import { searchModels } from './locator';
import { route } from './router';

export class GenerationGateway implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Generation Gateway',
    name: 'generationGateway',
    icon: { light: 'file:../../icons/gateway.svg', dark: 'file:../../icons/gateway.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Generate images, video and text, transcribe and embed through one gateway',
    defaults: { name: 'Generation Gateway' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'generationGatewayApi', required: true }],
    properties,
  };

  methods = { listSearch: { searchModels, searchAssets }, loadOptions: assetReferences };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return await route(this);
  }
}
