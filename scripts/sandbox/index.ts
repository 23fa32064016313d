import { runCommand, untilStopped, readNumbers, UsageError } from '../commandLine';
import { readPort } from '../host/ports';
import { startSandbox, type Sandbox } from '../../sandbox';

const USAGE = `npm run sandbox [-- options]
Serves the gateway's interface on this machine; generates nothing, bills nothing.
  --port 8787       0 takes any free one
  --host 127.0.0.1  address to listen on
  --task-ms 3000    how long a task takes
  --help            print this`;

async function start(port: number, host: string, taskMs: number): Promise<Sandbox> {
	return await startSandbox({ port, host, taskMs }).catch((reason: NodeJS.ErrnoException) => {
		if (reason.code === 'EADDRINUSE')
			throw new UsageError(`Port ${port} is taken by another program. Choose another: --port 8788`);
		if (reason.code === 'EACCES') throw new UsageError(`Port ${port} needs more rights`);
		throw reason;
	});
}

runCommand({
	usage: USAGE,
	options: {
		port: { type: 'string', default: '8787' },
		host: { type: 'string', default: '127.0.0.1' },
		'task-ms': { type: 'string', default: '3000' },
	},
	run: async ({ port, host, 'task-ms': taskMs }, signal) => {
		const numbers = readNumbers({ 'task-ms': taskMs }, USAGE);
		const sandbox = await start(readPort(port, { lowest: 0 }), host, numbers['task-ms']);
		console.log(`Sandbox gateway  ${sandbox.url}`);
		console.log(`API key          ${sandbox.key}`);
		console.log(
			'Nothing is generated and nothing is billed. "[fail]" in a prompt makes a task fail. Stop with Ctrl-C.',
		);
		await untilStopped(signal);
		await sandbox.close();
	},
});
