import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSandbox, type Sandbox } from '../../sandbox';
import type { IDataObject } from 'n8n-workflow';
import { linear, type NodeSpec, type WorkflowJson } from '../../scripts/engine';
import { createHost } from '../../scripts/host/createHost';
import {
	createMailCredential,
	startMailbox,
	type Mail,
	type Mailbox,
} from '../../scripts/host/mailbox';
import type { HeadlessRun, N8nHost } from '../../scripts/host/n8nHost';
import { agentStory, startScriptedModel, TOOL, type ScriptedModel } from '../support/agentStory';
import { hostsOr } from '../support/hosts';
import { CHANGED_MAIL, listChanged } from '../support/listedModels';
import {
	everyOperation,
	isGatewayNode,
	OPERATIONS,
	operationsLeftOut,
} from '../support/operations';
import { assertOutputSchema } from '../support/outputSchema';

const EXAMPLES = path.join(__dirname, '..', '..', 'examples');
/** The AI node SDK came with 2.x; examples with n8n's AI nodes need it. */
const hasSdk = ({ n8n }: { n8n: string }) => !n8n.startsWith('1.');
const needsSdk = ({ nodes }: WorkflowJson) =>
	nodes.some(({ type }) => type.endsWith('.lmChatGenerationGateway'));
/** A headless run ends where it would wait, and has no data tables; those examples have tests of their own. */
const needsServer = ({ type, parameters }: WorkflowJson['nodes'][number]) =>
	parameters.waitBy === 'suspend' ||
	parameters.wait === 'suspend' ||
	parameters.operation === 'sendAndWait' ||
	type.endsWith('.dataTable');
const runsThrough = ({ nodes }: WorkflowJson) =>
	nodes.some(({ type }) => /manualTrigger$/.test(type)) && !nodes.some(needsServer);

type Example = WorkflowJson & { id: string; name: string };

interface Chat {
	model: string;
	max_tokens?: number;
	tools?: unknown;
	messages: { role: string }[];
}

/** An example whose chat model is another one. */
function withModel({ id, ...example }: Example, model: string, options: object): Example {
	const parameters = { model: { __rl: true, mode: 'id', value: model }, options };
	const nodes = example.nodes.map((node) =>
		node.type.endsWith('.lmChatGenerationGateway')
			? { ...node, parameters: parameters as never }
			: node,
	);
	return { ...example, id: `${id}-${model}`, nodes };
}

/** A node that makes a picture. */
const picture = (prompt: string, options: IDataObject, more: IDataObject = {}): NodeSpec => ({
	name: 'Picture',
	type: 'n8n-nodes-generation-gateway.generationGateway',
	credentials: 'generationGatewayApi',
	parameters: {
		resource: 'image',
		operation: 'generate',
		model: { __rl: true, mode: 'id', value: 'imgn-4.0' },
		prompt,
		options,
		...more,
	} as NodeSpec['parameters'],
});

/** Steps of which the last one is on the chat model of an example. */
function onModel({ nodes }: Example, id: string, steps: NodeSpec[]): Example {
	const model = nodes.find(({ type }) => type.endsWith('.lmChatGenerationGateway'))!;
	const json = linear({ name: 'Start', type: 'n8n-nodes-base.manualTrigger' }, ...steps);
	const link = { node: steps.at(-1)!.name!, type: 'ai_languageModel' as const, index: 0 };
	return {
		...json,
		id,
		name: id,
		nodes: [...json.nodes, model],
		connections: { ...json.connections, [model.name]: { ai_languageModel: [[link]] } },
	};
}

/** A chain whose prompt holds a picture that was made before. */
const DESCRIBE_PICTURE: NodeSpec[] = [
	picture('a kite', { download: 'data' }),
	{
		name: 'Describe',
		type: '@n8n/n8n-nodes-langchain.chainLlm',
		typeVersion: 1.7,
		parameters: {
			promptType: 'define',
			text: 'What does it show?',
			messages: {
				messageValues: [
					{
						type: 'HumanMessagePromptTemplate',
						messageType: 'imageBinary',
						binaryImageDataKey: 'data',
					},
				],
			},
		},
	},
];

/** What n8n's own nodes ask a model for: text, e.g. for the Auto-fixing Output Parser, and a schema, for Evaluation. */
const READ_MODEL: NodeSpec = {
	name: 'Read',
	type: '@n8n/n8n-nodes-langchain.code',
	parameters: {
		code: {
			execute: {
				code: `const [model] = [await this.getInputConnectionData('ai_languageModel', 0)].flat();
const { content } = await model.invoke('hello');
const schema = { type: 'object', properties: { score: { type: 'number' } } };
const score = await model.withStructuredOutput(schema).invoke('use tool extract {"score": 4}');
return [{ json: { content, score } }];`,
			},
		},
		inputs: {
			input: [{ type: 'main' }, { type: 'ai_languageModel', maxConnections: 1, required: true }],
		},
		outputs: { output: [{ type: 'main' }] },
	},
};

/** A picture of a model that has no capacity, with another one to take over. */
const withFallback: Example = {
	...linear(
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
		picture('a heron', { fallbackModels: 'qwn-image-2.0' }),
	),
	id: 'with-fallback',
	name: 'A model that takes over',
};

/** Rows of which one is refused, in a node that would suspend the execution and has an error output. */
const withErrorOutput: Example = {
	...linear(
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
		{
			name: 'Rows',
			type: 'n8n-nodes-base.code',
			typeVersion: 2,
			parameters: { jsCode: 'return ["", "a crane"].map((prompt) => ({ json: { prompt } }));' },
		},
		{ ...picture('={{ $json.prompt }}', {}, { wait: 'suspend' }), onError: 'continueErrorOutput' },
	),
	id: 'with-error-output',
	name: 'A suspended node with an error output',
};

/** Agents of both kinds, by what they do. */
const AGENTS = [
	['calls a tool by itself, to', 2.2],
	['has n8n run a tool, to', 3],
] as const;

async function examples(): Promise<Example[]> {
	const files = (await readdir(EXAMPLES)).filter((file) => file.endsWith('.json'));
	return await Promise.all(
		files.map(async (file) => ({
			...(JSON.parse(await readFile(path.join(EXAMPLES, file), 'utf8')) as WorkflowJson & {
				name: string;
			}),
			id: file.replace('.json', ''),
		})),
	);
}

function itemsOf({ data }: HeadlessRun, node: string): Record<string, unknown>[] {
	return (data.resultData.runData[node] ?? []).flatMap((run) =>
		(run.data?.main ?? []).flat().map(({ json }) => json),
	);
}

describe.each(hostsOr('newest', 'oldest'))('in n8n $n8n', (version) => {
	let sandbox: Sandbox;
	let mailbox: Mailbox;
	let host: N8nHost;
	let folder: string;
	let model: ScriptedModel;
	const mails: Mail[] = [];
	let known: Example[];

	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'host-'));
		sandbox = await startSandbox({ taskMs: 300, assetReviewMs: 100 });
		known = await examples();
		const agent = known.find(({ id }) => id === 'agent-that-draws')!;
		host = await createHost(version, { userFolder: path.join(folder, 'user'), gateway: sandbox });
		mailbox = await startMailbox((mail) => mails.push(mail));
		// n8n 2.x runs no workflow with a node whose credential is not there, also where that node is not met.
		await host.importOtherCredential('smtp', createMailCredential(mailbox));
		model = await startScriptedModel();
		await host.importOtherCredential('openAiApi', { apiKey: 'scripted', url: model.url });
		await host.importWorkflows([
			...AGENTS.map(([, agentVersion]) => agentStory(`agent-${agentVersion}`, agentVersion)),
			everyOperation(),
			withFallback,
			withErrorOutput,
			...known,
			withModel(agent, 'o1', { max_tokens: 50 }),
			withModel(agent, 'gp-5-codex', {}),
			onModel(agent, 'describe-picture', DESCRIBE_PICTURE),
			onModel(agent, 'read-model', [READ_MODEL]),
		]);
	});

	afterAll(async () => {
		await sandbox?.close();
		await mailbox?.close();
		await model?.close();
		await rm(folder, { recursive: true, force: true });
	});

	it('runs every operation of the node', async () => {
		expect(operationsLeftOut()).toEqual([]);
		const run = await host.execute('everyOperation');
		expect({ status: run.status, error: run.data.resultData.error?.message }).toEqual({
			status: 'success',
			error: undefined,
		});
		const silent = OPERATIONS.filter((name) => itemsOf(run, name).length === 0);
		expect(silent).toEqual([]);
		for (const { name, parameters } of everyOperation().nodes.filter(isGatewayNode))
			assertOutputSchema(parameters, itemsOf(run, name) as IDataObject[]);
		expect(itemsOf(run, 'image generate')[0]).toMatchObject({
			status: 'completed',
			progress: 100,
			cost: 6641,
		});
		expect(itemsOf(run, 'task await')[0]).toMatchObject({
			status: 'completed',
			model: 'flx-2-flex',
		});
		expect(itemsOf(run, 'text respond')[0]).toMatchObject({ text: 'You said: hello' });
		expect(itemsOf(run, 'audio transcribe')[0]).toMatchObject({
			text: expect.stringContaining('talk.mp3'),
		});
		const fromFile = sandbox.tasks().find(({ body }) => body.model === 'sdn-2.0');
		expect(fromFile?.body.audio_urls).toEqual([
			expect.stringMatching(/^http:\/\/localhost:\d+\/rest\/binary-data\/signed\?token=/),
		]);
		expect(itemsOf(run, 'asset delete')[0]).toMatchObject({ deleted: true });
		expect(sandbox.leaks).toEqual([]);
	});

	/** Runs a workflow and gives the bodies that it sent to an endpoint. */
	async function bodiesOf(id: string, endpoint: string): Promise<Chat[]> {
		const requestsBefore = sandbox.requests.length;
		const run = await host.execute(id);
		expect(run.data.resultData.error?.message).toBeUndefined();
		return sandbox.requests
			.slice(requestsBefore)
			.filter(({ path: at }) => at === endpoint)
			.map(({ body }) => body as Chat);
	}

	it('ends on the second model when the first has no capacity all night, billed once', async () => {
		const isFirst = (body: unknown) =>
			(body as { model?: string } | undefined)?.model === 'imgn-4.0';
		sandbox.faults.injection = ({ body }) =>
			isFirst(body) ? { kind: { status: 503 } } : undefined;
		const run = await host.execute('with-fallback');
		sandbox.faults.injection = undefined;

		expect(itemsOf(run, 'Picture')).toMatchObject([
			{ model: 'qwn-image-2.0', status: 'completed', fallback_from: 'imgn-4.0' },
		]);
		const made = sandbox.tasks().filter(({ body }) => body.prompt === 'a heron');
		expect(made.map(({ cost }) => cost)).toEqual([10_625]);
	});

	it('sends a refused row to the error output, in older hosts by polling instead of suspending', async () => {
		const run = await host.execute('with-error-output');
		const isOlder = version.n8n.localeCompare('2.36.0', 'en', { numeric: true }) < 0;

		expect(run.status).toBe(isOlder ? 'success' : 'waiting');
		const outputs = run.data.resultData.runData.Picture?.[0]?.data?.main ?? [];
		// A headless run ends where it waits. Engine tests show the rest, in the newest n8n.
		if (isOlder)
			expect(outputs.map((items) => items.map(({ json }) => json))).toEqual([
				[expect.objectContaining({ status: 'completed' })],
				[expect.objectContaining({ prompt: '', details: expect.anything() })],
			]);
	});

	it.each(AGENTS)(
		'has an agent that %s choose the fields of a model, mend what is refused, and pay once',
		async (_way, agentVersion) => {
			model.requests.length = 0;
			const before = sandbox.tasks().length;
			const run = await host.execute(`agent-${agentVersion}`);

			expect(run.data.resultData.error?.message).toBeUndefined();
			const [{ function: tool } = { function: undefined }] = model.requests[0]!.tools;
			expect(tool).toMatchObject({
				name: 'Draw_Cover',
				description: expect.stringContaining('imgn-4.0'),
				parameters: {
					required: ['prompt'],
					properties: { aspect_ratio: { enum: ['1:1', '4:3', '3:4', '16:9', '9:16'] } },
				},
			});
			expect(JSON.stringify(tool!.parameters)).not.toMatch(/"n"|maximum_?run_?cost/i);
			expect(itemsOf(run, 'Agent')).toEqual([
				{ output: expect.stringMatching(/^The cover is at http:.*\/files\/task_/) },
			]);
			const made = sandbox.tasks().slice(before);
			expect(made.map(({ body, cost }) => [body.aspect_ratio, body.n, cost])).toEqual([
				['16:9', 1, 21_250],
			]);
			expect(run.data.resultData.runData[TOOL]).toHaveLength(3);
		},
	);

	const withSdk = (name: string, test: () => Promise<void>) => {
		if (hasSdk(version)) it(name, test);
	};

	withSdk(
		'runs an agent on a model of any name, with its options under their wire names',
		async () => {
			const chats = await bodiesOf('agent-that-draws-o1', '/v1/chat/completions');

			expect(chats.length).toBeGreaterThan(1);
			for (const { model, max_tokens, messages } of chats) {
				expect({ model, max_tokens }).toEqual({ model: 'o1', max_tokens: 50 });
				expect(messages[0]?.role).toBe('system');
			}
		},
	);

	withSdk('runs an agent with tools on a model that only Respond serves', async () => {
		const tasksBefore = sandbox.tasks().length;
		const requests = await bodiesOf('agent-that-draws-gp-5-codex', '/v1/responses');

		expect(requests.length).toBeGreaterThan(1);
		expect(requests[0]!.tools).toEqual([
			{
				type: 'function',
				function: {
					name: 'Draw',
					description: 'Draws a picture and returns its link',
					parameters: expect.objectContaining({ type: 'object' }),
				},
			},
		]);
		expect(sandbox.tasks()).toHaveLength(tasksBefore + 1);
	});

	withSdk('shows a picture of the workflow to the model', async () => {
		const chats = await bodiesOf('describe-picture', '/v1/chat/completions');

		expect(JSON.stringify(chats[0])).toContain('data:image/jpeg;base64,/9j/');
	});

	withSdk('answers in text, and with a schema where it is asked for one', async () => {
		const run = await host.execute('read-model');

		expect(run.data.resultData.error?.message).toBeUndefined();
		expect(itemsOf(run, 'Read')).toEqual([{ content: 'You said: hello', score: { score: 4 } }]);
		// n8n's log names the model.
		const requests = JSON.stringify(run.data.resultData.runData['Chat Model']);
		expect(requests).toContain('"options":{"model":"gp-5-mini"}');
	});

	it('mails the report on models that differ', async () => {
		sandbox.settings.listModels = listChanged;
		const run = await host.execute('model-drift-report');
		sandbox.settings.listModels = (served) => served;

		expect(run.data.resultData.error?.message).toBeUndefined();
		expect(mails.map(({ text }) => text.trim())).toEqual([CHANGED_MAIL]);
	});

	it('runs every example that starts by hand', async () => {
		for (const example of known.filter(
			(json) => runsThrough(json) && (hasSdk(version) || !needsSdk(json)),
		)) {
			const run = await host.execute(example.id);
			expect({
				example: example.name,
				status: run.status,
				error: run.data.resultData.error?.message,
			}).toEqual({
				example: example.name,
				status: 'success',
				error: undefined,
			});
		}
	});
});
