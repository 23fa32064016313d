import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delay } from '../../nodes/gateway/delay';
import { systemClock } from '../../nodes/n8n/systemClock';
import { ROOT } from '../support/runScript';

/** A process of its own that runs these lines, to its natural end. Jest has timers too. */
async function endOf(lines: string): Promise<{ output: string; wasKilled: boolean }> {
	const source = `
		const { delay } = require('./nodes/gateway/delay');
		const { systemClock } = require('./nodes/n8n/systemClock');
		${lines}`;
	const child = spawn(process.execPath, ['--import', 'tsx', '--eval', source], { cwd: ROOT });
	const killer = setTimeout(() => child.kill('SIGKILL'), 60_000);
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream.on('data', (chunk) => (output += String(chunk)));
	const [, signal] = (await once(child, 'close')) as [number | null, string | null];
	clearTimeout(killer);
	return { output: output.trim(), wasKilled: signal !== null };
}

describe('a delay', () => {
	it('takes its time', async () => {
		const startedAt = Date.now();
		await delay({ clock: systemClock, signal: new AbortController().signal }, 700);
		expect(Date.now() - startedAt).toBeGreaterThanOrEqual(699);
	});

	it('ends at its own time among many', async () => {
		const startedAt = performance.now();
		const late = await Promise.all(
			Array.from({ length: 500 }, async (_, index) => {
				const ms = (index * 37) % 300;
				await delay({ clock: systemClock }, ms);
				return performance.now() - startedAt - ms;
			}),
		);
		expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
	});

	it.each([
		[
			'a delay that is waited for',
			"delay({ clock: systemClock }, 500).then(() => console.log('waited'))",
			'waited',
		],
		[
			'no delay after the user has stopped the execution',
			`const user = new AbortController();
			delay({ clock: systemClock, signal: user.signal }, 3_600_000).catch((error) => console.log(error.code));
			user.abort();`,
			'stopped',
		],
		[
			'no callback that may be left out',
			"systemClock.after(3_600_000, () => console.log('called'));",
			'',
		],
	])('the process is kept for %s', async (_name, lines, printed) => {
		expect(await endOf(lines)).toEqual({ output: printed, wasKilled: false });
	});
});

it.each([
	['back', -60_000],
	['ahead', 3_600_000],
])('goes on as before when the clock of the machine is set %s', (_name, ms) => {
	const before = systemClock.now();
	const set = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + ms);
	const passed = systemClock.now() - before;
	set.mockRestore();

	expect(passed).toBeGreaterThanOrEqual(0);
	expect(passed).toBeLessThan(1_000);
});
