import { NodeConnectionTypes, type IExecuteFunctions, type INodeType } from 'n8n-workflow';
import { GenerationGatewayApi } from '../../credentials/GenerationGatewayApi.credentials';
import {
	CREDENTIAL,
	createClient,
	type GatewayClient,
	type ClientOptions,
} from '../../nodes/gateway/client';
import { itemsNode, linear, runWorkflow } from '../../scripts/engine';

const VISITOR = 'test.visitor';

export interface Visit extends Partial<ClientOptions> {
	signal?: AbortSignal;
}

/** Retries that a test has the time for. */
export const BRISK = { attempts: 4, budgetMs: 10_000, firstPauseMs: 4 };

/** Opens a door from within a node that n8n's engine runs, and gives what `work` gives or throws what it throws. */
export async function visit<T>(
	gateway: { url: string; key: string },
	work: (client: GatewayClient, host: IExecuteFunctions) => Promise<T>,
	{ concurrency = 5, retry = BRISK, signal }: Visit = {},
): Promise<T> {
	let end: Promise<T> | undefined;
	const node: INodeType = {
		description: {
			displayName: 'Visitor',
			name: 'visitor',
			group: ['transform'],
			version: 1,
			description: 'Calls the gateway through the door',
			defaults: { name: 'Visitor' },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: CREDENTIAL, required: true }],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			end = work(createClient(this, { concurrency, retry }), this);
			await end;
			return [[]];
		},
	};
	const run = await runWorkflow(
		linear(itemsNode([{}]), { type: VISITOR, credentials: CREDENTIAL }),
		{
			nodeTypes: { [VISITOR]: node },
			credentialTypes: { [CREDENTIAL]: new GenerationGatewayApi() },
			credentials: { [CREDENTIAL]: { baseUrl: gateway.url, apiKey: gateway.key } },
			signal,
		},
	);
	if (end === undefined) throw new Error(`The node did not start: ${run.error?.message}`);
	return await end;
}

/** What `work` was thrown with. */
export async function issueOf(
	work: Promise<unknown>,
): Promise<{ message: string; hint: string; details: object }> {
	return await work.then(
		() => {
			throw new Error('It went through');
		},
		(error: { message: string; hint: string; details: object }) => error,
	);
}
