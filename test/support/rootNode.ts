import {
	NodeConnectionTypes,
	type IDataObject,
	type IExecuteFunctions,
	type INodeType,
	type NodeConnectionType,
} from 'n8n-workflow';

/** A root node such as a vector store or an agent: it does something with what is plugged into it. */
export function rootOf(
	connection: NodeConnectionType,
	work: (plugged: unknown) => Promise<IDataObject>,
): INodeType {
	return {
		description: {
			displayName: 'Store',
			name: 'store',
			group: ['transform'],
			version: 1,
			description: 'Uses what is plugged in',
			defaults: { name: 'Store' },
			inputs: [
				NodeConnectionTypes.Main,
				{ type: connection as 'ai_embedding', required: true, maxConnections: 1 },
			],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			return [
				[
					{
						json: await work(await this.getInputConnectionData(connection as 'ai_embedding', 0)),
						pairedItem: { item: 0 },
					},
				],
			];
		},
	};
}
