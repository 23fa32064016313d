import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

/** Refuses a secret that would never match: n8n reads some characters of a path as a pattern. Called on activation. */
export function assertValidSecret(node: IHookFunctions): void {
	const secret = String(node.getNodeParameter('secret', '') ?? '');
	const isStep = secret === '.' || secret === '..';
	if (/^[\w.~-]*$/.test(secret) && !isStep) return;
	throw new NodeOperationError(
		node.getNode(),
		isStep
			? `Secret must be more than ${secret}`
			: 'Secret may hold letters, digits and - _ . ~ only',
		{ description: 'It is a part of the URL. Change it, and give your tasks the new URL.' },
	);
}
