import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { GatewayError } from '../../gateway/errors';
import { parseJson, textAt } from '../../gateway/json';
import { assertReachable } from '../gatewayAddress';

/** Longer than n8n keeps executions by default. */
export const LINK_DAYS = 30;

export interface Signer {
	helpers: Pick<IExecuteFunctions['helpers'], 'createBinarySignedUrl'>;
}

/** A link to a stored file for so many days, without a login. Undefined where n8n cannot sign it, e.g. one in memory. */
export function createLastingLink(
	{ helpers }: Signer,
	data: IBinaryData,
	days: number,
): string | undefined {
	return data.id ? helpers.createBinarySignedUrl(data, `${days}d`) : undefined;
}

/** A signed link to a stored file, for an hour after `waitMs`, the longest time until it is sent. Throws what to change. */
export async function createSignedLink(
	context: IExecuteFunctions,
	field: string,
	data: IBinaryData,
	waitMs = 0,
): Promise<string> {
	if (!data.id)
		throw new GatewayError(
			'file_unavailable',
			`The file in "${field}" is kept in memory, so there is no link to it`,
			{
				hint: 'Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem or another stored mode. If it is, a Code node has made the file: use this.helpers.prepareBinaryData() there. Or give a public link instead of a file.',
			},
		);
	const link = context.helpers.createBinarySignedUrl(
		await storeForGood(context, data),
		`${60 + Math.ceil(waitMs / 60_000)}m`,
	);
	await assertReachable(context, link);
	return link;
}

/** The ID of the file behind a signed link of n8n. The link is another one each time. */
export function fileOfSignedLink(link: string): string | undefined {
	const [, payload = ''] = /\/binary-data\/signed\?token=[\w-]+\.([\w-]+)\./.exec(link) ?? [];
	return textAt(parseJson(Buffer.from(payload, 'base64url').toString()), 'id');
}

/** By the ID of the temporary file. Items, fields and fallback models of a run may share it. */
const stored = new WeakMap<IExecuteFunctions, Map<string, Promise<IBinaryData>>>();

/** A file of a Webhook or Form Trigger is temporary: it is gone when the run ends or suspends. */
async function storeForGood(context: IExecuteFunctions, data: IBinaryData): Promise<IBinaryData> {
	const { id, fileName, mimeType } = data;
	if (!id?.includes('/executions/temp/')) return data;
	const ofRun = stored.get(context) ?? new Map<string, Promise<IBinaryData>>();
	stored.set(context, ofRun);
	const copy = async () => {
		const stream = await context.helpers.getBinaryStream(id);
		return await context.helpers.prepareBinaryData(stream, fileName, mimeType);
	};
	const copied = ofRun.get(id) ?? copy();
	ofRun.set(id, copied);
	copied.catch(() => ofRun.delete(id));
	return await copied;
}
