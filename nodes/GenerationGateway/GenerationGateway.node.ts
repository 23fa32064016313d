import {
  NodeConnectionTypes,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
} from 'n8n-workflow';
import { properties } from './actions';
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
    description: 'Generate images and videos with one gateway: checked before it is paid, never billed twice',
    defaults: { name: 'Generation Gateway' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'generationGatewayApi', required: true }],
    properties,
  };

  methods = { listSearch: { searchModels } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return await route(this);
  }
}
