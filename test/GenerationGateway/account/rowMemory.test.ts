import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { RowMemory } from '../../../nodes/GenerationGateway/account/rowMemory';

/** Two runs of a node in one execution, with the same index and Retry On Fail. */
function secondRow(type: string, requests: [string, string], executionId = '7') {
	const ofNode: IDataObject = {};
	const context = {
		getNode: () => ({ type, retryOnFail: true }),
		getExecutionId: () => executionId,
		getContext: () => ofNode,
	} as unknown as IExecuteFunctions;
	new RowMemory(context, 0).find(0, requests[0]).outputs = [{ json: {} }];
	return new RowMemory(context, 0).find(0, requests[1]);
}

it('gives the next try of a row what it has paid for, also for another request', () => {
	expect(secondRow('generationGateway', ['a red kite', 'a blue kite']).outputs).toHaveLength(1);
});

it('gives a call of a tool nothing of another call', () => {
	expect(secondRow('generationGatewayTool', ['a red kite', 'a blue kite']).outputs).toBeUndefined();
});

it('keeps nothing where n8n keeps no execution', () => {
	expect(secondRow('generationGateway', ['a red kite', 'a red kite'], '').outputs).toBeUndefined();
});
