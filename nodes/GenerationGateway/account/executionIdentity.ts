import { createHash, randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/** Custom data: the first of the Retries, and this one. */
export const EXECUTIONS = 'gateway_execution';
/** In the context of the execution, which a Retry gets unless the execution was stopped or killed. */
const ORIGIN = 'generationGatewayOrigin';

export interface CustomData {
	get(key: string): string | undefined;
	set(key: string, value: string): void;
}

export interface ExecutionIdentity {
	/** A random one where n8n keeps no execution. */
	id: string;
	/** The same in all Retries: their keys are made of it. Undefined for MCP clients, and where n8n keeps no execution. */
	origin?: string;
	/** For the custom data. */
	ids: string;
	isRetry: boolean;
	/** The custom data is still that of the execution before. */
	isHandedOn: boolean;
}

/** A Retry has the resume token of the first execution, also after a stop or a crash. Older hosts have none. */
function originOfToken(resumeUrl = ''): string | undefined {
	const token = URL.canParse(resumeUrl) && new URL(resumeUrl).searchParams.get('signature');
	return token ? createHash('sha256').update(token).digest('base64url').slice(0, 22) : undefined;
}

/** In queue mode, each call of an MCP client has an execution of its own. Elsewhere it has none. */
const isMcpCall = (context: object): boolean => {
	const { parentNode } = context as { parentNode?: { type?: string } };
	return parentNode?.type?.endsWith('.mcpTrigger') === true;
};

export function identify(
	context: IExecuteFunctions,
	customData: CustomData | undefined,
	resumeUrl: string | undefined,
): ExecutionIdentity {
	const executionId = context.getExecutionId();
	const id = executionId || randomUUID();
	const chain = (customData?.get(EXECUTIONS) ?? '').split(', ').filter(Boolean);
	const [first = id] = chain;
	const isHandedOn = chain.length > 0 && chain.at(-1) !== executionId;
	const isRetry = isHandedOn || context.getMode() === 'retry';
	const ids = [...new Set([first, id])].join(', ');
	if (!executionId || isMcpCall(context)) return { id, ids, isRetry, isHandedOn };
	const kept = context.getContext('flow');
	kept[ORIGIN] ??= originOfToken(resumeUrl) ?? first;
	return { id, ids, isRetry, isHandedOn, origin: String(kept[ORIGIN]) };
}
