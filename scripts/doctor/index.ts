import { parseArgs } from 'node:util';
import axios from 'axios';
import { z } from 'zod';
import { readModels } from '../../nodes/gateway/models/schema';
import { findDrift } from './drift';

const USAGE = `npm run doctor -- --url https://gateway.example.com
Compares the live model list with the tables; asks nothing that costs money.
The key is read from GATEWAY_KEY, the address from --url or GATEWAY_URL.`;

const Settings = z.object({
	url: z
		.string({ required_error: 'Give the address: --url or GATEWAY_URL' })
		.url('The address is not a URL'),
	key: z.string({ required_error: 'Give the key in GATEWAY_KEY' }).min(1, 'GATEWAY_KEY is empty'),
});

/** Reports drift between a gateway and the tables; ends with 1 when there is any. */
async function main(): Promise<void> {
	const { values } = parseArgs({
		options: { url: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
	});
	if (values.help) return console.log(USAGE);
	const settings = Settings.safeParse({
		url: values.url ?? process.env.GATEWAY_URL,
		key: process.env.GATEWAY_KEY,
	});
	if (!settings.success)
		throw new Error(
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

main().catch((reason: unknown) => {
	console.error(reason instanceof Error ? reason.message : reason);
	process.exitCode = 1;
});
