import { GatewayError } from './errors';
import { CREDENTIAL, type GatewayContext } from './request';

/** A single label is a name of the own network, e.g. of a container. */
const LOCAL_NAME = /^([^.:]+|.*\.(local|localhost|localdomain|internal|lan|home\.arpa))\.?$/;
const LOCAL_IPV4 =
	/^(0|10|127|22[4-9]|2[345]\d)\.|^(192\.168|169\.254|192\.0\.0|198\.1[89])\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+$/;
/** Also what stands for an IPv4 address: mapped ones are looked at by themselves, translated ones count as inside. */
const LOCAL_IPV6 = /^\[(::[\da-f:]*|f[cdf].*|fe[89ab].*|64:ff9b:.*|2002:.*)\]$/;
/** An IPv4 address in IPv6, as URLs write it: its last two groups of 16 bits. */
const MAPPED_IPV4 = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/;

function unmapped(host: string): string {
	const [, ...groups] = MAPPED_IPV4.exec(host) ?? [];
	if (!groups.length) return host;
	return groups
		.map((group) => parseInt(group, 16))
		.flatMap((bits) => [bits >> 8, bits & 255])
		.join('.');
}

/** Whether a link leads to a host that only this machine or network can reach. */
export function isPrivateAddress(link: string): boolean {
	if (!URL.canParse(link)) return false;
	const host = unmapped(new URL(link).hostname.toLowerCase());
	return (
		/^\d+(\.\d+){3}$/.test(host) ? LOCAL_IPV4 : host.startsWith('[') ? LOCAL_IPV6 : LOCAL_NAME
	).test(host);
}

/** Any node that has the credential. */
export type CredentialContext = Pick<GatewayContext, 'getCredentials'>;

/** Whether the gateway itself is on this machine or network; then links to and from it may be so too. */
export async function isGatewayPrivate(host: CredentialContext): Promise<boolean> {
	const { baseUrl } = await host.getCredentials(CREDENTIAL);
	return isPrivateAddress(String(baseUrl));
}

/** The issue of a link to this n8n that a gateway elsewhere could not follow; nothing when it can. */
export async function findUnreachableLink(
	host: CredentialContext,
	link: string,
): Promise<GatewayError | undefined> {
	if (!isPrivateAddress(link) || (await isGatewayPrivate(host))) return undefined;
	return new GatewayError(
		`The gateway cannot reach this n8n at ${new URL(link).host}`,
		'Set WEBHOOK_URL to the public address of n8n.',
		{
			retry: false,
			billed: 0,
		},
	);
}
