import { parseArgs } from 'node:util';
import { startSandbox } from '.';

const usage = 'Usage: tsx sandbox/cli.ts [--port 8787] [--host 127.0.0.1] [--task-ms 3000]';

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '8787' },
			host: { type: 'string', default: '127.0.0.1' },
			'task-ms': { type: 'string', default: '3000' },
			help: { type: 'boolean', short: 'h', default: false },
		},
	});
	if (values.help) return console.log(usage);
	const [port, taskMs] = [Number(values.port), Number(values['task-ms'])];
	if (!Number.isInteger(port) || !(taskMs >= 0)) throw new Error(usage);
	const sandbox = await startSandbox({ port, host: values.host, taskMs });
	console.log(`Sandbox gateway  ${sandbox.url}`);
	console.log(`API key          ${sandbox.key}`);
	console.log(
		'Nothing is generated and nothing is billed. "[fail]" in a prompt makes a task fail. Stop with Ctrl-C.',
	);
	const end = (): void => void sandbox.close();
	process.once('SIGINT', end);
	process.once('SIGTERM', end);
}

main().catch((fault: unknown) => {
	console.error(fault instanceof Error ? fault.message : fault);
	process.exitCode = 1;
});
