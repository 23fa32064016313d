import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { GatewayIssue } from './errors';
import { CREDENTIAL } from './send';

/** A single label is a name of the own network, e.g. of a container. */
const LOCAL_NAME = /^([^.:]+|.*\.(local|localhost|internal|lan|home\.arpa))\.?$/;
const LOCAL_IPV4 = /^(0|10|127)\.|^(192\.168|169\.254)\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+$/;
const LOCAL_IPV6 = /^\[(::1?|f[cd].*|fe[89ab].*)\]$/;
/** An IPv4 address in IPv6, as URLs write it: its last two groups of 16 bits. */
const MAPPED_IPV4 = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/;

function unmapped(host: string): string {
  const [, ...groups] = MAPPED_IPV4.exec(host) ?? [];
  if (!groups.length) return host;
  return groups.map((group) => parseInt(group, 16)).flatMap((bits) => [bits >> 8, bits & 255]).join('.');
}

/** Whether a link leads to a host that only this machine or network can reach. */
export function isPrivate(link: string): boolean {
  if (!URL.canParse(link)) return false;
  const host = unmapped(new URL(link).hostname.toLowerCase());
  return (/^\d+(\.\d+){3}$/.test(host) ? LOCAL_IPV4 : host.startsWith('[') ? LOCAL_IPV6 : LOCAL_NAME).test(host);
}

async function addressOf(host: IExecuteFunctions): Promise<string> {
  const { baseUrl } = await host.getCredentials(CREDENTIAL);
  return String(baseUrl);
}

const refused = (message: string, advice: string) => new GatewayIssue(message, advice, { retry: false, billed: 0 });

/**
 * A link to a stored file that the gateway can fetch for as long as it needs: n8n signs it, and it ends
 * after an hour. Says what to change where n8n cannot give one, or where nobody outside could follow it.
 */
export async function publicLink(host: IExecuteFunctions, field: string, data: IBinaryData): Promise<string> {
  const { createBinarySignedUrl: sign } = host.helpers as Partial<IExecuteFunctions['helpers']>;
  const instead = 'Or give a public link instead of a file.';
  if (!sign) throw refused('This version of n8n cannot make links to files', `Update n8n. ${instead}`);
  if (!data.id)
    throw refused(
      `The file in "${field}" is kept in memory, so there is no link to it`,
      `Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem or another stored mode. ${instead}`,
    );
  const link = sign(data, '1h');
  const issue = await notReachable(host, link);
  if (issue) throw issue;
  return link;
}

/** The issue of a link to this n8n that a gateway elsewhere could not follow; nothing when it can. */
export async function notReachable(host: IExecuteFunctions, link: string): Promise<GatewayIssue | undefined> {
  if (!isPrivate(link) || isPrivate(await addressOf(host))) return undefined;
  return refused(
    `The gateway cannot reach this n8n at ${new URL(link).host}`,
    'Set WEBHOOK_URL to the public address of n8n.',
  );
}
