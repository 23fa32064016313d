import { NodeConnectionTypes, type IDataObject } from 'n8n-workflow';
import { asTool, itemsNode, linear, runWorkflow, type NodeSpec } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway, type Menu } from '../support/gateway';
import { rootOf } from '../support/rootNode';

type Invocable = { invoke(given: IDataObject): Promise<unknown> };

const gateway = useGateway();
const CALLER = 'Caller';
const MCP = '@n8n/n8n-nodes-langchain.mcpTrigger';
const fromAi = (name: string) => `={{ $fromAI('${name}') }}`;

/** A caller that runs its tool itself, as AI Agent 1 and 2 and n8n's MCP servers do. */
async function callTool(
	menu: Menu,
	parameters: IDataObject,
	given: IDataObject | IDataObject[],
	type = 'test.agent',
	node: Partial<NodeSpec> = {},
) {
	const options = gateway.options();
	const root = rootOf(NodeConnectionTypes.AiTool, async (plugged) => {
		const [tool] = [plugged].flat() as Invocable[];
		let answer: unknown;
		for (const args of [given].flat())
			answer = await tool!.invoke(args).catch(({ message }: Error) => JSON.stringify({ message }));
		return { answer } as IDataObject;
	});
	const json = linear(itemsNode([{}]), {
		type,
		name: CALLER,
		subNodes: { ai_tool: [asTool(gatewayNode(menu, parameters, { name: 'Tool', ...node }))] },
	});
	const run = await runWorkflow(json, {
		...options,
		nodeTypes: { ...options.nodeTypes, [type]: root },
	});
	expect(run.error).toBeUndefined();
	const [{ answer }] = run.json(CALLER) as [{ answer: string }];
	return { run, answer: [JSON.parse(answer)].flat()[0] as IDataObject };
}

describe('a tool that is to suspend the execution, of a caller that runs it itself', () => {
	// It still runs when Task > Await asks for it first.
	beforeEach(() => (gateway.sandbox.settings.taskMs = 1_000));

	it.each(['image:generate', 'task:submit'] as const)('%s polls', async (menu) => {
		const parameters = {
			model: modelId('imgn-4.0'),
			prompt: fromAi('prompt'),
			parameters: '={{ { "prompt": $fromAI("prompt") } }}',
			wait: 'suspend',
		};
		const { run, answer } = await callTool(menu, parameters, { prompt: 'a kite' });

		expect(answer).toMatchObject({ status: 'completed', urls: [expect.any(String)] });
		expect(run.run.waitTill).toBeUndefined();
	});

	it('task:await polls', async () => {
		const made = await gateway.run('image:generate', {
			model: modelId('imgn-4.0'),
			prompt: 'a kite',
			wait: 'none',
		});
		const [{ task_id }] = made.json(NODE) as [{ task_id: string }];
		const { run, answer } = await callTool(
			'task:await',
			{ taskId: fromAi('id'), waitBy: 'suspend' },
			{ id: task_id },
		);

		expect(answer).toMatchObject({ task_id, status: 'completed' });
		expect(run.run.waitTill).toBeUndefined();
	});
});

describe('equal calls of a tool in two executions', () => {
	it.each([
		['of an agent make two tasks', 'test.agent', 2],
		['of an MCP client in queue mode share one', MCP, 1],
	])('%s', async (_what, type, tasks) => {
		const parameters = { model: modelId('imgn-4.0'), prompt: fromAi('prompt'), wait: 'poll' };
		const makeTask = async () =>
			(await callTool('image:generate', parameters, { prompt: 'a kite' }, type)).answer.task_id;
		const [first, second] = [await makeTask(), await makeTask()];

		expect(new Set([first, second])).toHaveProperty('size', tasks);
		expect(gateway.sandbox.tasks()).toHaveLength(tasks);
	});
});

describe.each(['test.agent', MCP])('Make Again on a tool that %s runs itself', (caller) => {
	const kite = { prompt: 'a kite', isDry: false, hook: 'https://example.com/hook' };
	const makeAgain = async (calls: IDataObject[], node: Partial<NodeSpec> = {}) => {
		const options = {
			ifAlreadyMade: 'make',
			// Too short for a second attempt.
			timeout: 0.1,
			dryRun: "={{ $fromAI('isDry', '', 'boolean') }}",
			callback_url: fromAi('hook'),
		};
		const parameters = { model: modelId('imgn-4.0'), prompt: fromAi('prompt'), options };
		const { answer } = await callTool('image:generate', parameters, calls, caller, node);
		return { answer, made: gateway.sandbox.tasks().map(({ task_id }) => task_id) };
	};
	const loseReply = () =>
		gateway.sandbox.faults.add({
			match: { method: 'POST', path: '/v1/tasks' },
			kind: 'reset-after',
		});

	it('makes a task for each of equal calls', async () => {
		const { answer, made } = await makeAgain([kite, kite]);
		expect(made).toHaveLength(2);
		expect(answer.task_id).toBe(made[1]);
	});

	it('finds the task of a lost reply in the next try of the call', async () => {
		loseReply();
		const retrying = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const { answer, made } = await makeAgain([kite], retrying);
		expect(made).toEqual([answer.task_id]);
	});

	it.each([
		['', []],
		[' behind one that only checks the price', [{ ...kite, isDry: true }]],
		[' behind one that is refused', [{ ...kite, hook: 'a hook' }]],
	])('finds the task of a lost reply in the next equal call%s', async (_how, between) => {
		loseReply();
		const { answer, made } = await makeAgain([kite, ...between, kite]);
		expect(made).toEqual([answer.task_id]);
	});
});
