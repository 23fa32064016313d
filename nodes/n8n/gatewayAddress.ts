import { parseBaseUrl } from '../gateway/baseUrl';
import { GatewayError } from '../gateway/errors';
import { isPrivateAddress } from '../gateway/privateAddress';
import { readCredential, type CredentialReader } from './credential';

/** The gateway is on this machine or network. Then links may be, too. */
export async function isGatewayPrivate(node: CredentialReader): Promise<boolean> {
	const { baseUrl } = await readCredential(node);
	return isPrivateAddress(String(baseUrl));
}

/** Host and port. */
export async function getGatewayHost(node: CredentialReader): Promise<string> {
	const { baseUrl } = await readCredential(node);
	const address = parseBaseUrl(baseUrl);
	return 'host' in address ? address.host : '';
}

/** Throws when the gateway could not follow a link to this n8n. */
export async function assertReachable(node: CredentialReader, link: string): Promise<void> {
	if (!isPrivateAddress(link) || (await isGatewayPrivate(node))) return;
	throw new GatewayError(
		'instance_unreachable',
		`The gateway cannot reach this n8n at ${new URL(link).host}`,
	);
}
