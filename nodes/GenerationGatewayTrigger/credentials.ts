import type { IWebhookFunctions } from 'n8n-workflow';
import { BoundedMap } from '../gateway/boundedMap';
import { CredentialCache } from '../n8n/credential';

const MOST_TRIGGERS = 1_000;

/** By scope. */
const caches = new BoundedMap<string, CredentialCache>(MOST_TRIGGERS);

/**
 * Callbacks share a credential for some seconds, as the requests of a run do: n8n takes longer to read it
 * than the gateway to answer.
 */
export function shareCredential(node: IWebhookFunctions, scope: string): void {
	const key = `${scope} ${JSON.stringify(node.getNode().credentials ?? {})}`;
	caches.getOrCreate(key, () => new CredentialCache()).attach(node);
}
