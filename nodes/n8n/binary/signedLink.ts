import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { GatewayError } from '../../gateway/errors';
import { findUnreachableLink } from '../../gateway/privateAddress';

const refused = (message: string, advice: string) =>
	new GatewayError(message, advice, { retry: false, billed: 0 });

/**
 * A link to a stored file that the gateway can fetch for as long as it needs: n8n signs it, and it ends
 * after an hour. Says what to change where n8n cannot give one, or where nobody outside could follow it.
 */
export async function createSignedLink(
	host: IExecuteFunctions,
	field: string,
	data: IBinaryData,
): Promise<string> {
	const { createBinarySignedUrl: sign } = host.helpers as Partial<IExecuteFunctions['helpers']>;
	const instead = 'Or give a public link instead of a file.';
	if (!sign)
		throw refused('This version of n8n cannot make links to files', `Update n8n. ${instead}`);
	if (!data.id)
		throw refused(
			`The file in "${field}" is kept in memory, so there is no link to it`,
			`Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem or another stored mode. ${instead}`,
		);
	const link = sign(data, '1h');
	const issue = await findUnreachableLink(host, link);
	if (issue) throw issue;
	return link;
}
