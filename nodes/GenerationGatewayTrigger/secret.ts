import { createHash, timingSafeEqual } from 'crypto';
import { NodeOperationError, type IHookFunctions, type IWebhookFunctions } from 'n8n-workflow';

const readSecret = (node: IHookFunctions | IWebhookFunctions): string =>
	String(node.getNodeParameter('secret', '') ?? '');

/**
 * Refuses a secret that would never match: n8n reads some characters of a path as a pattern. Called on activation;
 * n8n 2.x shows the error a while later.
 */
export function assertValidSecret(node: IHookFunctions): void {
	const secret = readSecret(node);
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

const digest = (text: string) => createHash('sha256').update(text).digest();

/** n8n has already matched the path. This compares the secret in constant time. */
export function hasSecret(node: IWebhookFunctions): boolean {
	const secret = readSecret(node);
	if (!secret) return true;
	const given = node.getRequestObject().path.replace(/\/+$/, '').split('/').pop() ?? '';
	return timingSafeEqual(digest(given), digest(encodeURI(secret)));
}
