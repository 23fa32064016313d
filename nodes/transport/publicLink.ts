import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { GatewayIssue } from './errors';
import { CREDENTIAL } from './send';

const PRIVATE = /^(localhost|.*\.local(host)?|127\..*|0\.0\.0\.0|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|169\.254\..*|\[::1\]|\[f[cd].*)$/i;

/** Whether a link leads to a host that only this machine or network can reach. */
export const isPrivate = (link: string): boolean => URL.canParse(link) && PRIVATE.test(new URL(link).hostname);

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
