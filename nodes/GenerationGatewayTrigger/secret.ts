import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

/**
 * Refuses a secret that would never match: n8n reads some characters of a path as a pattern. Called on activation,
 * after which newer hosts show the error in their log only.
 */
export function assertValidSecret(node: IHookFunctions): void {
	const secret = String(node.getNodeParameter('secret', '') ?? '');
	const isStep = secret === '.' || secret === '..';
	if (/^[\w.~-]*$/.test(secret) && !isStep) return;
	const where = `Secret of ${node.getNode().name} in ${node.getWorkflow().name}`;
	throw new NodeOperationError(
		node.getNode(),
		isStep
			? `${where} must be more than ${secret}`
			: `${where} may hold letters, digits and - _ . ~ only`,
		{ description: 'It is a part of the URL. Change it, and give your tasks the new URL.' },
	);
}
