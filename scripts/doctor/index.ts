import axios from 'axios';
import { z } from 'zod';
import { readModels } from '../../nodes/gateway/models/schema';
import { runCommand, UsageError } from '../commandLine';
import { findDrift } from './drift';

const USAGE = `npm run doctor -- --url https://gateway.example.com
Compares the live model list with the tables; asks nothing that costs money. Ends with 1 when they differ.
  --url https://gateway.example.com  the gateway; GATEWAY_URL unless given
  --help                             print this
The key is read from GATEWAY_KEY.`;

const Settings = z.object({
	url: z
		.string({ required_error: 'Give the address: --url or GATEWAY_URL' })
		.url('The address is not a URL'),
	key: z.string({ required_error: 'Give the key in GATEWAY_KEY' }).min(1, 'GATEWAY_KEY is empty'),
});

/** Reports drift between a gateway and the tables. */
async function reportDrift(url: string | undefined): Promise<void> {
	const settings = Settings.safeParse({ url, key: process.env.GATEWAY_KEY });
	if (!settings.success)
		throw new UsageError(
			`${settings.error.issues.map(({ message }) => message).join('. ')}.\n\n${USAGE}`,
		);
	const base = settings.data.url.replace(/\/+$/, '').replace(/\/v1$/, '');
	const { data, status } = await axios.get<unknown>(`${base}/v1/models`, {
		headers: { Authorization: `Bearer ${settings.data.key}` },
		maxRedirects: 0,
		timeout: 30_000,
		validateStatus: () => true,
	});
	if (status !== 200)
		throw new Error(
			`${base}/v1/models answered ${status}${status === 401 ? ': check GATEWAY_KEY' : ''}`,
		);
	const listed = readModels(data) ?? [];
	const drift = findDrift(listed);
	console.log(`${listed.length} models listed by ${base}`);
	for (const { kind, model, message } of drift)
		console.log(`${kind.padEnd(8)} ${model.padEnd(42)} ${message}`);
	console.log(
		drift.length ? `${drift.length} differences to the tables` : 'No difference to the tables',
	);
	process.exitCode = drift.length ? 1 : 0;
}

runCommand({
	usage: USAGE,
	options: { url: { type: 'string' } },
	run: async ({ url }) => await reportDrift(url ?? process.env.GATEWAY_URL),
});
