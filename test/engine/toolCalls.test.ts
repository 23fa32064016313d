import { NodeConnectionTypes, type IDataObject } from 'n8n-workflow';
import { asTool, itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway, type Menu } from '../support/gateway';
import { rootOf } from '../support/rootNode';

type Invocable = { invoke(given: IDataObject): Promise<unknown> };

const gateway = useGateway();
const CALLER = 'Caller';
const fromAi = (name: string) => `={{ $fromAI('${name}') }}`;

/** A caller that runs its tool itself, as AI Agent 1 and 2 and n8n's MCP servers do. It calls it once. */
async function callTool(
	menu: Menu,
	parameters: IDataObject,
	given: IDataObject,
	type = 'test.agent',
) {
	const options = gateway.options();
	const root = rootOf(NodeConnectionTypes.AiTool, async (plugged) => {
		const [tool] = [plugged].flat() as Invocable[];
		return { answer: await tool!.invoke(given) } as IDataObject;
	});
	const json = linear(itemsNode([{}]), {
		type,
		name: CALLER,
		subNodes: { ai_tool: [asTool(gatewayNode(menu, parameters, { name: 'Tool' }))] },
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
		['of an MCP client in queue mode share one', '@n8n/n8n-nodes-langchain.mcpTrigger', 1],
	])('%s', async (_what, type, tasks) => {
		const parameters = { model: modelId('imgn-4.0'), prompt: fromAi('prompt'), wait: 'poll' };
		const makeTask = async () =>
			(await callTool('image:generate', parameters, { prompt: 'a kite' }, type)).answer.task_id;
		const [first, second] = [await makeTask(), await makeTask()];

		expect(new Set([first, second])).toHaveProperty('size', tasks);
		expect(gateway.sandbox.tasks()).toHaveLength(tasks);
	});
});
