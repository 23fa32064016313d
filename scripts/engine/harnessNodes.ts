import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	EngineResponse,
	IBinaryData,
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	NodeOutput,
} from 'n8n-workflow';

/** Type name of the node that starts a workflow with items that the caller made. */
export const ITEMS_TYPE = 'engine.items';

/** Type name of the node that plays the agent: it requests a tool from the engine, once or several times, as n8n's AI Agent does. */
export const TOOL_CALLER_TYPE = 'engine.toolCaller';

const items: INodeType = {
	description: {
		displayName: 'Items',
		name: 'items',
		group: ['trigger'],
		version: 1,
		description: 'Emits the given items',
		defaults: { name: 'Items' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [{ displayName: 'Items', name: 'items', type: 'json', default: [] }],
	},
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const given = this.getNodeParameter('items', 0, [], {
			rawExpressions: true,
		}) as INodeExecutionData[];
		return [
			await Promise.all(
				given.map(async (item) => ({ ...item, binary: await store(this, item.binary) })),
			),
		];
	},
};

/** Puts base64 files where the engine keeps files, so that they carry an id as uploaded files do. */
async function store(
	context: IExecuteFunctions,
	binary?: IBinaryKeyData,
): Promise<IBinaryKeyData | undefined> {
	if (binary === undefined) return undefined;
	const stored: IBinaryKeyData = {};
	for (const [field, file] of Object.entries(binary)) {
		stored[field] = file.id === undefined ? await storeFile(context, file) : file;
	}
	return stored;
}

async function storeFile(context: IExecuteFunctions, file: IBinaryData): Promise<IBinaryData> {
	return await context.helpers.setBinaryDataBuffer({ ...file }, Buffer.from(file.data, 'base64'));
}

const toolCaller: INodeType = {
	description: {
		displayName: 'Tool Caller',
		name: 'toolCaller',
		group: ['transform'],
		version: 1,
		description: 'Calls one tool',
		defaults: { name: 'Tool Caller' },
		inputs: [NodeConnectionTypes.Main, { type: NodeConnectionTypes.AiTool, required: true }],
		outputs: [NodeConnectionTypes.Main],
		properties: [
			{ displayName: 'Tool', name: 'tool', type: 'string', default: '' },
			{ displayName: 'Arguments', name: 'arguments', type: 'json', default: {} },
		],
	},
	async execute(this: IExecuteFunctions, response?: EngineResponse): Promise<NodeOutput> {
		const answers = response?.actionResponses ?? [];
		if (answers.length) {
			const output = answers.flatMap(
				({ data }) => data.data?.[NodeConnectionTypes.AiTool]?.[0] ?? [],
			);
			return [output.map(({ json }) => ({ json, pairedItem: { item: 0 } }))];
		}
		const nodeName = this.getNodeParameter('tool', 0) as string;
		const given = this.getNodeParameter('arguments', 0, {}, { rawExpressions: true }) as
			IDataObject | IDataObject[];
		return {
			actions: [given].flat().map((input, at) => ({
				actionType: 'ExecutionNodeAction',
				nodeName,
				input,
				type: NodeConnectionTypes.AiTool,
				id: `call${at}`,
				metadata: {},
			})),
			metadata: {},
		};
	},
};

export const harnessNodes: Record<string, INodeType> = {
	[ITEMS_TYPE]: items,
	[TOOL_CALLER_TYPE]: toolCaller,
};
