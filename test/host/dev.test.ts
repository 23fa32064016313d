import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { findFreePort } from '../../scripts/host/ports';
import { OWNER } from '../../scripts/host/n8nHost';
import { copyRepository, processesWith, waitFor as waitUntil } from '../support/repositoryCopy';

/** A change is served in about 5 s; a machine that is busy takes longer. */
const SERVED_MS = 60_000;

let folder: string;
let url: string;
let cookie: string;
let dev: ChildProcess;
let output = '';

const waitFor = async (isMet: () => boolean | Promise<boolean>, ms: number): Promise<number> =>
	await waitUntil(isMet, ms, () => output.slice(-3000));

/** Whether the description of our nodes, as n8n serves it to the editor, contains a text. */
async function isServed(text: string): Promise<boolean> {
	// While n8n writes the file it answers with a part of it, or with the page of the editor.
	const { data } = await axios
		.get<{ name: string }[] | string>(`${url}/types/nodes.json`, {
			headers: { cookie, connection: 'close' },
		})
		.catch(() => ({ data: '' }));
	if (!Array.isArray(data)) return false;
	const ownNodes = data.filter(({ name }) => name.startsWith('n8n-nodes-generation-gateway.'));
	return JSON.stringify(ownNodes).includes(text);
}

/** The table that names the model. */
function tableOf(model: string): string {
	const families = path.join(folder, 'nodes', 'catalog', 'families');
	const file = readdirSync(families).find((name) =>
		readFileSync(path.join(families, name), 'utf8').includes(`'${model}'`),
	);
	return path.join(families, file!);
}

const edit = (file: string, from: string, to: string) =>
	writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to));

beforeAll(async () => {
	folder = await mkdtemp(path.join(tmpdir(), 'dev-'));
	copyRepository(folder);
	const port = await findFreePort();
	url = `http://localhost:${port}`;
	dev = spawn(
		'npm',
		['run', 'dev', '--', '--port', String(port), '--folder', path.join(folder, 'data')],
		{
			cwd: folder,
			detached: true,
			stdio: ['ignore', 'pipe', 'pipe'],
		},
	);
	for (const stream of [dev.stdout!, dev.stderr!])
		stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
	await waitFor(() => output.includes('Stop with Ctrl-C'), 600_000);
	const { headers } = await axios.post(`${url}/rest/login`, {
		emailOrLdapLoginId: OWNER.email,
		password: OWNER.password,
	});
	cookie = headers['set-cookie']!.map((line) => line.split(';')[0]).join('; ');
});

afterAll(async () => {
	if (dev.exitCode === null && dev.signalCode === null) process.kill(-dev.pid!, 'SIGKILL');
	await rm(folder, { recursive: true, force: true });
});

describe('npm run dev', () => {
	const MODEL = 'imgn-4.0';

	it('serves a saved change of a table, and writes it into the docs', async () => {
		await waitFor(() => isServed(MODEL), SERVED_MS);
		expect(await isServed(`${MODEL}-changed`)).toBe(false);
		edit(tableOf(MODEL), MODEL, `${MODEL}-changed`);

		const ms = await waitFor(() => isServed(`${MODEL}-changed`), SERVED_MS);
		console.log(`A saved change was served after ${(ms / 1000).toFixed(1)} s`);
		const page = () => readFileSync(path.join(folder, 'docs', 'models.md'), 'utf8');
		await waitFor(() => page().includes(`${MODEL}-changed`), SERVED_MS);
	});

	it('prints a type error, keeps the last version, and goes on', async () => {
		const table = tableOf(`${MODEL}-changed`);
		const good = readFileSync(table, 'utf8');
		writeFileSync(table, `${good}\nexport const wrong: number = 'text';\n`);
		await waitFor(() => /error TS2322.*\n1 type error/.test(output), SERVED_MS);
		await waitFor(() => isServed(`${MODEL}-changed`), SERVED_MS);

		writeFileSync(table, good.replaceAll(`${MODEL}-changed`, `${MODEL}-again`));
		await waitFor(() => isServed(`${MODEL}-again`), SERVED_MS);
		expect(await isServed(`${MODEL}-changed`)).toBe(false);
	});

	it('leaves no process after Ctrl-C', async () => {
		expect(processesWith(path.join(folder, 'data')).length).toBeGreaterThan(0);
		const exit = new Promise((resolve) => dev.once('exit', resolve));
		process.kill(-dev.pid!, 'SIGINT');
		await exit;
		await waitFor(() => processesWith(path.join(folder, 'data')).length === 0, 30_000);
	});
});
