import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { GatewayError } from '../../gateway/errors';
import { assertReachable } from '../gatewayAddress';

/** Longer than n8n keeps executions by default. */
export const LINK_DAYS = 30;

export interface Signer {
	helpers: Partial<Pick<IExecuteFunctions['helpers'], 'createBinarySignedUrl'>>;
}

/**
 * A link to a stored file that works for so many days, without a login. Undefined where n8n cannot sign it,
 * e.g. for files in memory.
 */
export function createLastingLink(
	{ helpers }: Signer,
	data: IBinaryData,
	days: number,
): string | undefined {
	return data.id ? helpers.createBinarySignedUrl?.(data, `${days}d`) : undefined;
}

const PUBLIC_LINK = 'Or give a public link instead of a file.';

/**
 * A signed link to a stored file for the gateway. It works for an hour after `waitMs`, the longest time until
 * it is sent. Throws what to change where there is none.
 */
export async function createSignedLink(
	context: IExecuteFunctions,
	field: string,
	data: IBinaryData,
	waitMs = 0,
): Promise<string> {
	const { createBinarySignedUrl } = context.helpers as Partial<IExecuteFunctions['helpers']>;
	if (!createBinarySignedUrl)
		throw new GatewayError('file_unavailable', 'This version of n8n cannot make links to files', {
			hint: `Update n8n. ${PUBLIC_LINK}`,
		});
	if (!data.id)
		throw new GatewayError(
			'file_unavailable',
			`The file in "${field}" is kept in memory, so there is no link to it`,
			{
				hint: `Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem or another stored mode. ${PUBLIC_LINK}`,
			},
		);
	const link = createBinarySignedUrl(
		await storeForGood(context, data),
		`${60 + Math.ceil(waitMs / 60_000)}m`,
	);
	await assertReachable(context, link);
	return link;
}

/** A file of a Webhook or Form Trigger is temporary: it is gone when the run ends or suspends. */
async function storeForGood(
	{ helpers }: IExecuteFunctions,
	data: IBinaryData,
): Promise<IBinaryData> {
	if (!data.id?.includes('/executions/temp/')) return data;
	const stream = await helpers.getBinaryStream(data.id);
	return await helpers.prepareBinaryData(stream, data.fileName, data.mimeType);
}
