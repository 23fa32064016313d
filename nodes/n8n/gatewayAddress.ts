import { parseBaseUrl } from '../gateway/baseUrl';
import { GatewayError } from '../gateway/errors';
import { isPrivateAddress } from '../gateway/privateAddress';
import { CREDENTIAL, type CredentialContext } from './gatewayContext';

/** Whether the gateway itself is on this machine or network; then links to and from it may be so too. */
export async function isGatewayPrivate(
	node: Pick<CredentialContext, 'getCredentials'>,
): Promise<boolean> {
	const { baseUrl } = await node.getCredentials(CREDENTIAL);
	return isPrivateAddress(String(baseUrl));
}

/** Host and port of the gateway, to name it by. */
export async function getGatewayHost(
	node: Pick<CredentialContext, 'getCredentials'>,
): Promise<string> {
	const { baseUrl } = await node.getCredentials(CREDENTIAL);
	const address = parseBaseUrl(baseUrl);
	return 'host' in address ? address.host : '';
}

/** Throws when a gateway elsewhere could not follow a link to this n8n. */
export async function assertReachable(
	node: Pick<CredentialContext, 'getCredentials'>,
	link: string,
): Promise<void> {
	if (!isPrivateAddress(link) || (await isGatewayPrivate(node))) return;
	throw new GatewayError(
		'instance_unreachable',
		`The gateway cannot reach this n8n at ${new URL(link).host}`,
	);
}
