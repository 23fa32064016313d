import { NodeConnectionTypes, type IExecuteFunctions, type INodeType } from 'n8n-workflow';
import { GenerationGatewayApi } from '../../credentials/GenerationGatewayApi.credentials';
import type { ClientOptions, GatewayClient } from '../../nodes/gateway/client';
import type { GatewayError } from '../../nodes/gateway/errors';
import { CREDENTIAL } from '../../nodes/n8n/credential';
import { createNodeClient } from '../../nodes/n8n/gatewayContext';
import { itemsNode, linear, runWorkflow } from '../../scripts/engine';

const NODE_TYPE = 'test.clientTest';

export interface WithClientOptions extends Partial<ClientOptions> {
	signal?: AbortSignal;
}

/** Retries that a test has the time for. */
export const FAST_RETRY = { attempts: 4, budgetMs: 10_000, firstDelayMs: 4 };

/** Runs `work` with a client inside a node that n8n's engine executes; returns what `work` returns or throws what it throws. */
export async function withClient<T>(
	gateway: { url: string; key: string },
	work: (client: GatewayClient, context: IExecuteFunctions) => Promise<T>,
	{ concurrency = 5, retry = FAST_RETRY, signal }: WithClientOptions = {},
): Promise<T> {
	let end: Promise<T> | undefined;
	const node: INodeType = {
		description: {
			displayName: 'Client Test',
			name: 'clientTest',
			group: ['transform'],
			version: 1,
			description: 'Calls the gateway',
			defaults: { name: 'Client Test' },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: CREDENTIAL, required: true }],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			end = work(createNodeClient(this, { concurrency, retry }), this);
			await end;
			return [[]];
		},
	};
	const run = await runWorkflow(
		linear(itemsNode([{}]), { type: NODE_TYPE, credentials: CREDENTIAL }),
		{
			nodeTypes: { [NODE_TYPE]: node },
			credentialTypes: { [CREDENTIAL]: new GenerationGatewayApi() },
			credentials: { [CREDENTIAL]: { baseUrl: gateway.url, apiKey: gateway.key } },
			signal,
		},
	);
	if (end === undefined) throw new Error(`The node did not start: ${run.error?.message}`);
	return await end;
}

/** What `work` was thrown with. */
export async function catchError(work: Promise<unknown>): Promise<GatewayError> {
	return await work.then(
		() => {
			throw new Error('It did not throw');
		},
		(error: GatewayError) => error,
	);
}
