import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import { findOperation } from './actions';
import type { Operation } from './operation';

export function operationOf(context: IExecuteFunctions): Operation {
	const resource = String(context.getNodeParameter('resource', 0));
	const name = String(context.getNodeParameter('operation', 0));
	const operation = findOperation(resource, name);
	if (operation) return operation;
	throw new NodeOperationError(
		context.getNode(),
		`The menu has no operation "${name}" for "${resource}"`,
		{ description: 'Choose Resource and Operation again.' },
	);
}
