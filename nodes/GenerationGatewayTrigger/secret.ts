import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

/**
 * The secret is a part of the URL, and n8n reads some characters there as a pattern or a separator: such
 * a URL, or one of dots only, would never match. Refused when the workflow is activated, so that callbacks do not get lost unnoticed.
 */
export function assertValidSecret(node: IHookFunctions): void {
	const secret = String(node.getNodeParameter('secret', '') ?? '');
	const isStep = secret === '.' || secret === '..';
	if (/^[\w.~-]*$/.test(secret) && !isStep) return;
	throw new NodeOperationError(
		node.getNode(),
		isStep
			? `Secret must be more than ${secret}`
			: 'Secret may hold letters, digits, hyphens, dots and underscores only',
		{ description: 'It is a part of the URL. Change it, and give your tasks the new URL.' },
	);
}
