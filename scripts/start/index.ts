import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startSandbox } from '../../sandbox';
import type { WorkflowJson } from '../engine';
import { createHost } from '../host/createHost';
import { OWNER, type N8nHost } from '../host/n8nHost';
import { CACHE } from '../host/install';
import { getVersion } from '../host/versions';

const EXAMPLES = path.join(__dirname, '..', '..', 'examples');
const USAGE = `npm start [-- --gateway https://gateway.example.com] [--port 5678] [--n8n newest]
Brings up a real n8n editor with this package installed, the examples imported and a credential in place:
for the built-in sandbox, or for the gateway at --gateway with the key in GATEWAY_KEY (or --key).`;

async function readExamples(): Promise<(WorkflowJson & { id: string })[]> {
	const files = (await readdir(EXAMPLES)).filter((file) => file.endsWith('.json'));
	return await Promise.all(
		files.map(async (file) => ({
			...(JSON.parse(await readFile(path.join(EXAMPLES, file), 'utf8')) as WorkflowJson),
			id: file.replace('.json', ''),
		})),
	);
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			gateway: { type: 'string' },
			key: { type: 'string' },
			port: { type: 'string', default: '5678' },
			n8n: { type: 'string', default: 'newest' },
			help: { type: 'boolean', short: 'h' },
		},
	});
	if (values.help) return console.log(USAGE);
	const version = getVersion(values.n8n);
	const sandbox = values.gateway
		? undefined
		: await startSandbox({
				taskMs: ({ model }) => (/video|clipk|pxv/.test(String(model)) ? 6_000 : 2_000),
			});
	let host: N8nHost | undefined;
	const stop = async (): Promise<void> => {
		await Promise.all([host?.stop(), sandbox?.close()]);
	};
	for (const signal of ['SIGINT', 'SIGTERM'] as const)
		process.once(signal, () => void stop().then(() => process.exit(0)));

	try {
		console.log('Installing the package, the credential and the examples …');
		host = await createHost(version, {
			userFolder: path.join(CACHE, `editor-${version.n8n}`),
			port: Number(values.port),
			gateway: sandbox ?? {
				url: values.gateway!,
				key: values.key ?? process.env.GATEWAY_KEY ?? '',
			},
			log: console.log,
		});
		await host.importWorkflows(await readExamples());
		console.log(`Starting n8n ${version.n8n} …`);
		await host.start();
		await host.signIn();
	} catch (reason) {
		await stop();
		throw reason;
	}
	console.log(`
The editor:  ${host.url}
Sign in:     ${OWNER.email} / ${OWNER.password}
Gateway:     ${sandbox ? `${sandbox.url} (the sandbox: nothing is generated for real, nothing is billed)` : values.gateway}
The examples are among the workflows. Ctrl-C ends everything.`);
}

main().catch((reason: unknown) => {
	console.error(reason instanceof Error ? reason.message : reason);
	process.exitCode = 1;
});
