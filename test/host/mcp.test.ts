import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { hostsOr } from '../support/hosts';
import { useHost, type HostWorkflow } from '../support/useHost';
import { delay } from '../support/useSandbox';

const TOKEN = 'scripted-client';
const EXAMPLE = path.join(__dirname, '..', '..', 'examples', 'mcp-server.json');
/** How long clients wait for the answer to a call. */
const CLIENT_MS = 60_000;

/** The same under another address, with a limit for the day. */
function limitDay(example: HostWorkflow, maximumDailyCost: number): HostWorkflow {
	const nodes = example.nodes.map((node) => {
		const { path: at, options } = node.parameters as { path?: string; options?: object };
		const parameters = {
			...node.parameters,
			...(at && { path: 'limited' }),
			...(node.name === 'Draw' && { options: { ...options, maximumDailyCost, linkDays: 30 } }),
		};
		return { ...node, parameters, ...(node.webhookId && { webhookId: 'limited' }) };
	});
	return { ...example, id: 'limited', nodes };
}

const readAnswer = (result: CallToolResult) => {
	const [content] = result.content;
	return { isError: result.isError ?? false, text: content?.type === 'text' ? content.text : '' };
};

describe.each(hostsOr('newest'))('an MCP client of n8n $n8n', (version) => {
	let client: Client;
	const fixture = useHost(version, { settings: { taskMs: 300 } }, async ({ host }) => {
		await host.importOtherCredential('httpBearerAuth', { token: TOKEN });
		const example = JSON.parse(await readFile(EXAMPLE, 'utf8')) as HostWorkflow;
		await host.importWorkflows([{ ...example, id: 'mcp' }, limitDay(example, 0.06)]);
		for (const id of ['mcp', 'limited']) await host.publish(id);
		client = await open('generation-gateway');
	});
	afterAll(async () => await client?.close());
	beforeEach(() => {
		fixture.sandbox.reset();
		Object.assign(fixture.sandbox.settings, { taskMs: 300 });
	});

	async function connect(at: string, token = TOKEN): Promise<Client> {
		const one = new Client({ name: 'test', version: '1.0.0' });
		const requestInit = { headers: { authorization: `Bearer ${token}` } };
		const address = new URL(`${fixture.host.url}/mcp/${at}`);
		await one.connect(new StreamableHTTPClientTransport(address, { requestInit }));
		return one;
	}

	/** n8n says that a workflow is published a moment before its address is there. */
	async function open(at: string): Promise<Client> {
		let opened: Client | undefined;
		await fixture.until(async () => {
			opened = await connect(at).catch(() => undefined);
			return opened !== undefined;
		});
		return opened!;
	}

	async function callTool(name: string, args: Record<string, unknown>, by = client) {
		const options = { timeout: CLIENT_MS };
		const result = await by.callTool({ name, arguments: args }, undefined, options);
		return readAnswer(result as CallToolResult);
	}

	it('cannot pass the limit of the day by many calls', async () => {
		const limited = await open('limited');
		const calls = ['a kite', 'a heron', 'a kite'].map((prompt) => ({ prompt }));
		const answers = [];
		for (const given of calls) answers.push(await callTool('Draw', given, limited));
		await limited.close();

		expect(answers.map(({ isError }) => isError)).toEqual([false, true, false]);
		expect(answers[1]!.text).toContain(
			'estimated at $0.0425 on top of $0.0425 spent or planned today (UTC), but Cost Limit per Day is $0.06',
		);
		expect(fixture.sandbox.tasks()).toHaveLength(1);

		// The links of the gateway end after a day, those of n8n when it was said.
		const { urls, file_urls: lasting } = JSON.parse(answers[0]!.text) as Record<string, string[]>;
		const [original, stored] = await Promise.all(
			[urls![0]!, lasting![0]!].map(async (link) => await (await fetch(link)).arrayBuffer()),
		);
		expect(Buffer.from(stored!)).toEqual(Buffer.from(original!));
	});

	it('lists each tool with the fields that it may set, and what they take', async () => {
		const { tools } = await client.listTools();
		const [draw, film, get] = ['Draw', 'Film', 'Get_Task'].map((name) =>
			tools.find((tool) => tool.name === name)!,
		);

		expect(tools).toHaveLength(3);
		expect(draw!.description).toContain('0.0425 USD per image');
		expect(draw!.inputSchema).toMatchObject({
			required: ['prompt'],
			properties: {
				prompt: { type: 'string', description: expect.stringContaining('Prompt: ') },
				aspect_ratio: { type: 'string', enum: expect.arrayContaining(['16:9']) },
			},
		});
		expect(draw!.inputSchema.properties).not.toHaveProperty('n');
		expect(film!.inputSchema.properties).toMatchObject({
			duration: { type: 'integer', minimum: 3, maximum: 15 },
		});
		expect(get!.inputSchema).toMatchObject({
			required: ['task_id'],
			properties: { task_id: { type: 'string' } },
		});
	});

	it('gets the task, its links and its cost', async () => {
		const { isError, text } = await callTool('Draw', { prompt: 'a kite', aspect_ratio: '16:9' });

		expect(isError).toBe(false);
		expect(JSON.parse(text)).toMatchObject({
			task_id: fixture.sandbox.tasks()[0]!.task_id,
			status: 'completed',
			urls: [expect.stringContaining('http')],
			cost_usd: 0.0425,
		});
		expect(fixture.sandbox.tasks()[0]!.body).toMatchObject({ n: 1, aspect_ratio: '16:9' });
	});

	it('gets the same task for an equal call, as of a client that gave up', async () => {
		const [first, second] = [
			await callTool('Draw', { prompt: 'a heron' }),
			await callTool('Draw', { prompt: 'a heron' }),
		].map(({ text }) => JSON.parse(text) as { task_id: string });

		expect(second!.task_id).toBe(first!.task_id);
		expect(fixture.sandbox.tasks()).toHaveLength(1);
	});

	it('is told by an error what to change, and nothing is sent', async () => {
		const { isError, text } = await callTool('Film', { prompt: 'waves', duration: 40 });

		expect(isError).toBe(true);
		expect(text).toContain('Duration must be 3 to 15, but is 40');
		expect(fixture.sandbox.tasks()).toEqual([]);
	});

	it('is told by an error that a limit is passed or a task has failed', async () => {
		const dear = await callTool('Film', { prompt: 'waves', duration: 15, resolution: '1080p' });
		fixture.sandbox.settings.fail = () => 'too hot';
		const failed = await callTool('Draw', { prompt: 'a volcano' });
		fixture.sandbox.settings.fail = () => undefined;
		const unknown = await callTool('Get_Task', { task_id: 'task_nobody' });

		expect([dear, failed, unknown].map(({ isError }) => isError)).toEqual([true, true, true]);
		expect(dear.text).toContain('Cost Limit per Item is $1');
		expect(failed.text).toContain('too hot');
		expect(failed.text).toContain(fixture.sandbox.tasks()[0]!.task_id);
		expect(unknown.text).toContain('task_nobody');
	});

	it('gets a video that takes longer than a call may', async () => {
		fixture.sandbox.settings.taskMs = 6_000;
		const submitted = JSON.parse((await callTool('Film', { prompt: 'waves' })).text) as {
			task_id: string;
			status: string;
		};
		expect(submitted.status).not.toBe('completed');

		const get = async () =>
			(
				JSON.parse((await callTool('Get_Task', { task_id: submitted.task_id })).text) as object[]
			)[0];
		expect(await get()).toMatchObject({ task_id: submitted.task_id, urls: [] });
		await delay(6_000);
		expect(await get()).toMatchObject({
			status: 'completed',
			urls: [expect.stringContaining('http')],
		});
	});

	it('needs the token', async () => {
		await expect(connect('generation-gateway', 'guess')).rejects.toThrow(
			/403|401|Authorization|wrong/i,
		);
	});
});
