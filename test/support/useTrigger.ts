import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
	callTrigger,
	linear,
	type EngineRun,
	type NodeSpec,
	type WebhookResponse,
	type WebhookRequest,
} from '../../scripts/engine';
import { typeOf } from '../../scripts/package';
import { useGateway, type GatewayFixture } from './gateway';
import { assertTriggerSchema } from './outputSchema';

const AFTER = 'After';

export const triggerNode = (parameters: IDataObject): NodeSpec => ({
	type: typeOf('generationGatewayTrigger'),
	name: 'Trigger',
	webhookId: 'hook',
	credentials: 'generationGatewayApi',
	parameters: parameters as never,
});

export const callbackFor = (task_id: string): WebhookRequest => ({ body: { task_id } });

interface TriggerFixture {
	gateway: GatewayFixture;
	/** Calls the trigger's production URL. */
	sendCallback: (
		request: WebhookRequest,
		parameters?: IDataObject,
	) => Promise<{ reply: WebhookResponse; run?: EngineRun; items: INodeExecutionData[] }>;
	/** The ID of a task that has ended, or still runs. */
	task: (outcome?: 'completed' | 'failed' | 'cancelled', body?: IDataObject) => Promise<string>;
}

/** A sandbox for one test file, whose tasks end when they are told to, and the trigger. */
export function useTrigger(): TriggerFixture {
	const gateway = useGateway({ taskMs: Infinity });
	return {
		gateway,
		sendCallback: async (request, parameters = {}) => {
			const { response, run } = await callTrigger(
				linear(triggerNode(parameters), { type: 'n8n-nodes-base.noOp', name: AFTER }),
				request,
				gateway.options(),
			);
			assertTriggerSchema(parameters, run?.json(AFTER) ?? []);
			return { reply: response, run, items: run?.items(AFTER) ?? [] };
		},
		task: async (outcome, body = {}) => {
			const { data } = await gateway.submit({ model: 'imgn-4.0', prompt: 'a kite', ...body });
			if (outcome) await gateway.sandbox.finish(data.task_id, outcome);
			return data.task_id as string;
		},
	};
}
