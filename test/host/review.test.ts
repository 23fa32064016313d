import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { startSandbox, type Sandbox } from '../../sandbox';
import type { WorkflowJson } from '../../scripts/engine';
import { createHost } from '../../scripts/host/createHost';
import {
	createMailCredential,
	startMailbox,
	type Mail,
	type Mailbox,
} from '../../scripts/host/mailbox';
import type { N8nHost } from '../../scripts/host/n8nHost';
import { getInstalledFolder } from '../../scripts/host/userFolder';
import { getVersion } from '../../scripts/host/versions';
import { Editor } from '../support/browser';
import { hostsOr } from '../support/hosts';
import { waitFor } from '../support/repositoryCopy';

const ROOT = path.join(__dirname, '..', '..');
const EXAMPLE = path.join(ROOT, 'examples', 'approve-what-an-agent-buys.json');
/** n8n does not take the visit of a robot for an answer. */
const PERSON = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0' };
const [YES, NO] = ['Buy it', "Don't buy it"];

/** What looks like HTML is shown as it is. */
const BOAT = { prompt: 'a boat <a href="/">Buy it</a> &lt;b>', aspect_ratio: '9:16' };

/** The example, whose agent is asked for something else. */
async function readExample(id: string, text?: string): Promise<WorkflowJson & { id: string }> {
	const example = JSON.parse(await readFile(EXAMPLE, 'utf8')) as WorkflowJson;
	const nodes = example.nodes.map((node) =>
		node.name === 'Agent' && text ? { ...node, parameters: { ...node.parameters, text } } : node,
	);
	return { ...example, nodes, id };
}
const toPrompt = (tool: string, args: object) =>
	`Use tool ${tool} ${JSON.stringify({ toolParameters: args, hitlParameters: {} })}`;

describe.each(hostsOr('newest'))('in n8n $n8n', (version) => {
	let sandbox: Sandbox;
	let mailbox: Mailbox;
	const mails: Mail[] = [];
	let host: N8nHost;
	let folder: string;

	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'review-'));
		sandbox = await startSandbox({ taskMs: 300 });
		mailbox = await startMailbox((mail) => mails.push(mail));
		const userFolder = path.join(folder, 'user');
		host = await createHost(version, { userFolder, gateway: sandbox });
		// Another package of the community has brought its own zod.
		const beside = path.dirname(getInstalledFolder(userFolder));
		await cp(path.join(ROOT, 'node_modules', 'zod'), path.join(beside, 'zod'), { recursive: true });
		await host.importOtherCredential('smtp', createMailCredential(mailbox));
		await host.importWorkflows([
			await readExample('example'),
			await readExample('film', toPrompt('Film', BOAT)),
			await readExample('both', `Use tool Draw, and ${toPrompt('Film', BOAT)}`),
			await readExample('draw', toPrompt('Draw', { prompt: 'a kite' })),
		]);
		await host.start();
		await host.signIn();
	});
	afterAll(async () => {
		await host?.stop();
		await mailbox?.close();
		await sandbox?.close();
		await rm(folder, { recursive: true, force: true });
	});
	beforeEach(() => {
		sandbox.reset();
		mails.length = 0;
	});

	const until = async (isMet: () => boolean | Promise<boolean>) =>
		await waitFor(isMet, 30_000, () => host.getLog().slice(-3000));

	let ended: () => Promise<void>;
	/** Runs up to the question. */
	async function runToMail(id: string): Promise<Mail> {
		const executionId = await host.runManually(id, 'When clicking Execute');
		await until(() => mails.length === 1);
		await until(async () => (await statusOf(executionId)) === 'waiting');
		ended = async () => {
			await until(async () => (await statusOf(executionId)) === 'success');
		};
		return mails[0]!;
	}
	const statusOf = async (id: string) =>
		(await host.rest<{ status: string }>('GET', `/executions/${id}`)).status;

	async function press(mail: Mail, button: string): Promise<number> {
		const { url } = mail.links.filter(({ label }) => label === button).at(-1)!;
		const { status } = await axios.get(url, { headers: PERSON, validateStatus: () => true });
		return status;
	}

	it('offers the fields of the model behind the review, in their types', async () => {
		await press(await runToMail('example'), NO);
		await ended();
		const { body } = sandbox.requests.find(({ path: at }) => at === '/v1/chat/completions')!;
		const { tools } = body as { tools: { function: { name: string; parameters: object } }[] };
		const film = tools.find(({ function: { name } }) => name === 'Film')!.function.parameters;

		expect(film).toMatchObject({
			properties: {
				toolParameters: {
					required: ['prompt'],
					properties: {
						prompt: { type: 'string' },
						aspect_ratio: { type: 'string', enum: expect.arrayContaining(['16:9']) },
					},
				},
			},
		});
		expect(JSON.stringify(film)).not.toMatch(/"duration"|maximum_?cost/i);
	});

	it.each([
		['film', 'Film', 'clipk-v3', 0.357, BOAT],
		['draw', 'Draw', 'imgn-4.0', 0.0425, { prompt: 'a kite' }],
	])('makes one task of %s after two clicks', async (id, tool, model, usd, args) => {
		const mail = await runToMail(id);
		expect(mail.subject).toBe(`${tool} for at most $${usd}?`);
		expect(mail.text.replace(/\s+/g, ' ')).toContain(
			`asks for ${tool} with ${model}, for at most $${usd}: ${JSON.stringify(args)}`,
		);
		expect(sandbox.tasks()).toEqual([]);

		const editor = await Editor.open(host.url, { isPictured: version === getVersion('newest') });
		await editor.openPage(mail.html, 'review', { width: 560, height: 310 });
		await editor.close();
		expect([await press(mail, YES), await press(mail, YES)]).toEqual([200, 409]);
		await ended();
		expect(sandbox.tasks()).toMatchObject([{ body: { model, ...args }, status: 'completed' }]);
		expect(sandbox.tasks()[0]!.cost / 500_000).toBeCloseTo(usd);
	});

	it('reviews one of two calls in one turn, and makes no other', async () => {
		const { subject } = await runToMail('both');
		await press(mails[0]!, YES);
		await ended();

		expect(mails).toHaveLength(1);
		const model = subject.startsWith('Draw') ? 'imgn-4.0' : 'clipk-v3';
		expect(sandbox.tasks()).toMatchObject([{ body: { model } }]);
	});

	it('makes nothing after a no', async () => {
		const mail = await runToMail('film');
		expect([await press(mail, NO), await press(mail, YES)]).toEqual([200, 409]);
		await ended();

		expect(sandbox.tasks()).toEqual([]);
	});
});
