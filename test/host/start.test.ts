import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { OWNER } from '../../scripts/host/n8nHost';
import { findFreePort } from '../../scripts/host/ports';
import { copyRepository, processesWith, waitFor } from '../support/repositoryCopy';

const STEP_MS = 180_000;
const READY = 'Stop with Ctrl-C';
/** What `npm start` prints on its way, in this order. */
const STEPS = ['Building the package', 'Installing the package', 'Starting n8n', READY];
/** In the environment of everything that the test starts, but for n8n itself, whose data are in the folder. */
const MARK = `START_TEST_${randomUUID()}`;

interface Start {
	npm: ChildProcess;
	output(): string;
	printed(line: string): Promise<void>;
	/** The code that npm ended with. */
	ended: Promise<number | null>;
}

let folder: string;
let port: number;

function start(...args: string[]): Start {
	const npm = spawn('npm', ['start', '--', '--port', String(port), ...args], {
		cwd: folder,
		detached: true,
		env: { ...process.env, [MARK]: '1' },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let text = '';
	for (const stream of [npm.stdout, npm.stderr])
		stream.on('data', (chunk) => (text += String(chunk)));
	const output = () => text;
	return {
		npm,
		output,
		printed: async (line) =>
			void (await waitFor(() => text.includes(line) || npm.exitCode !== null, STEP_MS, output)),
		ended: once(npm, 'close').then(([code]) => code as number | null),
	};
}

const startHere = (...args: string[]) => start('--folder', path.join(folder, 'data'), ...args);
const hasNoProcess = () => [MARK, folder].every((text) => processesWith(text).length === 0);
const expectNoProcess = async () =>
	await waitFor(hasNoProcess, 30_000, () =>
		[MARK, folder]
			.flatMap(processesWith)
			.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
			.join('\n'),
	);

/** As a shell on which Ctrl-C is pressed: every process of the terminal gets it. */
const pressCtrlC = ({ npm }: Start) => process.kill(-npm.pid!, 'SIGINT');
/** As a supervisor ends a service. */
const terminate = ({ npm }: Start) => npm.kill('SIGTERM');

async function rest<Data>(method: string, route: string, data?: object): Promise<Data> {
	const url = `http://localhost:${port}/rest`;
	const login = { emailOrLdapLoginId: OWNER.email, password: OWNER.password };
	const { headers } = await axios.post(`${url}/login`, login);
	const cookie = headers['set-cookie']!.map((line) => line.split(';')[0]).join('; ');
	const response = await axios.request<{ data: Data }>({
		method,
		url: url + route,
		data,
		headers: { cookie },
	});
	return response.data.data;
}

const EXAMPLE = 'prompt-table-to-files';
interface Stored {
	name: string;
	versionId: string;
}
const readExample = async () => await rest<Stored>('GET', `/workflows/${EXAMPLE}`);

beforeAll(async () => {
	folder = await mkdtemp(path.join(tmpdir(), 'start-'));
	copyRepository(folder);
	port = await findFreePort();
});

afterAll(async () => {
	for (const pid of [MARK, folder].flatMap(processesWith)) process.kill(Number(pid), 'SIGKILL');
	await rm(folder, { recursive: true, force: true });
});

describe('npm start', () => {
	it.each(
		STEPS.slice(0, -1).flatMap((step) => [
			{ step, by: 'Ctrl-C', stop: pressCtrlC },
			{ step, by: 'SIGTERM', stop: terminate },
		]),
	)('leaves no process after $by at "$step"', async ({ step, stop }) => {
		if (step === STEPS[0]) utimesSync(path.join(folder, 'package.json'), new Date(), new Date());
		const started = startHere();
		await started.printed(step);
		expect(started.output()).toContain(step);
		stop(started);
		await started.ended;
		await expectNoProcess();
		expect(started.output()).not.toMatch(/\n\s+at /);
		expect(existsSync(path.join(folder, 'data', 'running.json'))).toBe(false);
	});

	it('ends with what is wrong when n8n cannot start, and leaves no process', async () => {
		const started = start('--folder', path.join(folder, 'package.json'));
		expect(await started.ended).not.toBe(0);
		await expectNoProcess();
	});

	it('does not take another server for the editor', async () => {
		const stranger = createServer((_, response) => response.end('{}')).listen(port, '127.0.0.1');
		await once(stranger, 'listening');
		const started = startHere();
		expect(await started.ended).not.toBe(0);
		expect(started.output()).toContain(`Port ${port} is taken by another program`);
		expect(started.output()).not.toContain('Building');
		stranger.close();
		await once(stranger, 'close');
	});

	it('tells a second start where the first one is, keeps changed examples, and brings them back when asked', async () => {
		const first = startHere();
		await first.printed(READY);
		const { name, versionId } = await readExample();

		const used = path.join(folder, 'data', '.n8n', 'nodes', 'package.json');
		const before = createHash('sha256').update(readFileSync(used)).digest('hex');
		const second = startHere();
		expect(await second.ended).not.toBe(0);
		expect(second.output()).toContain(
			`An editor with these data is running at http://localhost:${port}`,
		);
		expect(createHash('sha256').update(readFileSync(used)).digest('hex')).toBe(before);

		await rest('PATCH', `/workflows/${EXAMPLE}`, { name: 'Mine', versionId });
		pressCtrlC(first);
		await first.ended;
		await expectNoProcess();

		const again = startHere();
		await again.printed(READY);
		expect(again.output()).not.toContain('Building');
		expect((await readExample()).name).toBe('Mine');
		terminate(again);
		await again.ended;
		await expectNoProcess();

		const reset = startHere('--reset-examples');
		await reset.printed(READY);
		expect((await readExample()).name).toBe(name);
		terminate(reset);
		await reset.ended;
		await expectNoProcess();
	});
});
