import { z } from 'zod';
import { compareModels, hasDifferences } from '../../nodes/catalog/drift';
import { parseBaseUrl } from '../../nodes/gateway/baseUrl';
import type { ErrorCode } from '../../nodes/gateway/errorCodes';
import { GatewayError } from '../../nodes/gateway/errors';
import { listModels } from '../../nodes/gateway/models/api';
import type { ListedModel } from '../../nodes/gateway/models/schema';
import { runCommand, UsageError } from '../commandLine';
import { createScriptClient } from './client';
import { describeDrift } from './driftReport';

const USAGE = `npm run doctor -- --url https://gateway.example.com
Compares the models of a gateway with the tables, and prints a report in Markdown for an issue.
Sends nothing that costs money. Ends with 1 when they differ.
  --url https://gateway.example.com  the gateway; GATEWAY_URL unless given
  --help                             print this
The key is read from GATEWAY_KEY.`;

const Settings = z.object({
	url: z
		.string({ required_error: 'Give the address: --url or GATEWAY_URL' })
		.url('The address is not a URL'),
	key: z.string({ required_error: 'Give the key in GATEWAY_KEY' }).min(1, 'GATEWAY_KEY is empty'),
});

function readSettings(url: string | undefined): { base: URL; key: string } {
	const settings = Settings.safeParse({ url, key: process.env.GATEWAY_KEY });
	const problems = settings.success ? [] : settings.error.issues.map(({ message }) => message);
	const base = settings.success ? parseBaseUrl(settings.data.url) : undefined;
	if (base && 'problem' in base) problems.push(base.problem);
	if (!settings.success || !(base instanceof URL))
		throw new UsageError(`${problems.join('. ')}.\n\n${USAGE}`);
	return { base, key: settings.data.key };
}

/** What to do about errors whose hint is about n8n's credential. */
const HINTS: Partial<Record<ErrorCode, string>> = {
	invalid_api_key: 'Check GATEWAY_KEY.',
	connection_failed: 'Check the address, and that the gateway runs.',
	redirected: 'Give the address it points to.',
};

async function list(base: URL, key: string, signal: AbortSignal): Promise<ListedModel[]> {
	try {
		return await listModels(createScriptClient(base, key, signal));
	} catch (error) {
		if (!(error instanceof GatewayError)) throw error;
		const message = error.message.replace(/\.$/, '');
		throw new Error(`${base.host}: ${message}. ${HINTS[error.code] ?? error.hint}`);
	}
}

runCommand({
	usage: USAGE,
	options: { url: { type: 'string' } },
	async run({ url }, signal) {
		const { base, key } = readSettings(url ?? process.env.GATEWAY_URL);
		const drift = compareModels(await list(base, key, signal));
		console.log(describeDrift(drift, { host: base.host, at: Date.now() }));
		process.exitCode = hasDifferences(drift) ? 1 : 0;
	},
});
