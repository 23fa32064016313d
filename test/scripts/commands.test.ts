import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../package.json';
import { ROOT, runScript } from '../support/runScript';

/** The commands of package.json that read options. */
const COMMANDS = Object.entries(manifest.scripts).flatMap(([name, line]) => {
	const file = /^node --import tsx (\S+)$/.exec(line)?.[1];
	const isCommand = file && readFileSync(path.join(ROOT, file), 'utf8').includes('runCommand(');
	return isCommand ? [{ name, file }] : [];
});

it('knows the commands', () => {
	expect(COMMANDS.map(({ name }) => name)).toEqual(
		expect.arrayContaining(['start', 'dev', 'demo', 'sandbox', 'doctor', 'bench', 'campaign']),
	);
});

describe.each(COMMANDS)('npm run $name', ({ name, file }) => {
	it('says with --help what it does, and does nothing', async () => {
		const { code, output } = await runScript(file, ['--help']);
		expect({ code, command: output.split(' -- ')[0]!.split(' [')[0]!.split('\n')[0] }).toEqual({
			code: 0,
			command: name === 'start' ? 'npm start' : `npm run ${name}`,
		});
	});

	it('refuses a flag that it does not have, with its usage', async () => {
		const { code, output } = await runScript(file, ['--colour', 'red']);
		expect(code).toBe(1);
		expect(output).toMatch(/^Unknown option '--colour'\n\nnpm (start|run)/);
	});
});

describe.each(['start', 'dev'])('npm run %s', (name) => {
	const refuse = async (...args: string[]) => {
		const { code, output } = await runScript(`scripts/${name}/index.ts`, args);
		expect(code).toBe(1);
		return output.trim();
	};

	it.each([
		[['--port', 'http'], '--port must be a number from 1 to 65534, but is http'],
		[['--port', '65535'], '--port must be a number from 1 to 65534, but is 65535'],
		[['--port', '0'], '--port must be a number from 1 to 65534, but is 0'],
		[
			['--gateway', 'gateway'],
			'--gateway must be an address, e.g. https://gateway.example.com, but is gateway',
		],
		[
			['--gateway', 'https://gateway.example.com'],
			'--gateway needs a key: set GATEWAY_KEY, or give --key',
		],
	])('refuses %j before anything is built or installed', async (args, message) => {
		expect(await refuse(...args)).toBe(message);
	});

	it.each([0, 1])('refuses a port where another program listens, %i above', async (above) => {
		const server = createServer().listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as { port: number };
		const folder = await mkdtemp(path.join(tmpdir(), 'start-'));
		try {
			expect(await refuse('--port', String(port - above), '--folder', folder)).toMatch(
				new RegExp(
					`^Port ${port} is taken by another program. Choose another one, e.g. --port \\d+$`,
				),
			);
		} finally {
			server.close();
			await rm(folder, { recursive: true, force: true });
		}
	});
});
