import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { clientOf } from '../support/useSandbox';

const root = join(__dirname, '..', '..');

describe('the command line', () => {
	it('says where it is, serves, and ends on Ctrl-C', async () => {
		const child = spawn(
			process.execPath,
			['--import', 'tsx', 'scripts/sandbox/index.ts', '--port', '0', '--task-ms', '0'],
			{ cwd: root },
		);
		let text = '';
		child.stdout.on('data', (chunk) => (text += String(chunk)));
		while (!text.includes('Ctrl-C')) await once(child.stdout, 'data');
		const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? '';
		expect(text).toContain('sandbox-key');
		const http = clientOf(url, { authorization: 'Bearer sandbox-key' });
		const { data } = await http.post(
			'/v1/tasks',
			{ model: 'imgn-4.0', prompt: 'a bell' },
			{ headers: { prefer: 'wait=1' } },
		);
		expect(data.status).toBe('completed');
		child.kill('SIGINT');
		expect(await once(child, 'exit')).toEqual([0, null]);
	});

	it('refuses a port that is none', async () => {
		const child = spawn(
			process.execPath,
			['--import', 'tsx', 'scripts/sandbox/index.ts', '--port', 'x'],
			{ cwd: root },
		);
		expect((await once(child, 'exit'))[0]).toBe(1);
	});
});
