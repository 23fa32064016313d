import axios from 'axios';
import { linear, type NodeSpec } from '../../scripts/engine';
import { typeOf } from '../../scripts/package';
import {
	ARTIST,
	startScriptedModel,
	subAgentStory,
	type ScriptedModel,
} from '../support/agentStory';
import { gatewayNode } from '../support/gateway';
import { hostsOr } from '../support/hosts';
import {
	calledWorkflow,
	splitOut,
	useHost,
	withId,
	type HostFixture,
	type HostWorkflow,
} from '../support/useHost';
import { delay } from '../support/useSandbox';

interface Posted {
	from: string;
	task_id?: string;
	status?: string;
	mode?: string;
}

const SECRET = 'kite-9f2c61';
const HOOKS = ['original', 'duplicate'];
const settings = {
	taskMs: 300,
	callbackRetry: { attempts: 10, delayMs: 1_000, timeoutMs: 10_000 },
};

const triggerWorkflow = (fixture: HostFixture<Posted>, id: string): HostWorkflow =>
	withId(
		id,
		linear(
			{
				type: typeOf('generationGatewayTrigger'),
				typeVersion: 2,
				name: 'Trigger',
				webhookId: id,
				credentials: 'generationGatewayApi',
				parameters: { secret: SECRET },
			},
			fixture.report('Collect', `{ from: "${id}", task_id: $json.task_id, mode: $execution.mode }`),
		),
	);

const submit = gatewayNode(
	'image:generate',
	{
		prompt: '={{ $json.name ?? $json.body.name }}',
		wait: 'none',
		options: { callbackExecution: true },
	},
	{ name: 'Submit' },
);
const awaitNode = (more: object) =>
	gatewayNode('task:await', { taskId: '={{ $json.task_id }}', ...more }, { name: 'Await' });

const suspendedNode = gatewayNode(
	'image:generate',
	{ prompt: '={{ $json.name }}', wait: 'suspend' },
	{ name: 'Suspended' },
);
const childWorkflow = (id: string, ...nodes: NodeSpec[]): HostWorkflow =>
	withId(
		id,
		linear(
			{
				name: 'Called',
				type: 'n8n-nodes-base.executeWorkflowTrigger',
				typeVersion: 1.1,
				parameters: { inputSource: 'passthrough' },
			},
			...nodes,
		),
	);
const callEach = (id: string): NodeSpec => ({
	name: 'Call Child',
	type: 'n8n-nodes-base.executeWorkflow',
	typeVersion: 1.2,
	parameters: {
		workflowId: { __rl: true, mode: 'id', value: id },
		mode: 'each',
		options: { waitForSubWorkflow: true },
	},
});

/** Situations that people meet and that no other test of a real n8n is about. */
describe.each(hostsOr('newest'))('in n8n $n8n', (version) => {
	let model: ScriptedModel;
	const fixture: HostFixture<Posted> = useHost<Posted>(version, { settings }, async (created) => {
		model = await startScriptedModel();
		await created.host.importOtherCredential('openAiApi', { apiKey: 'scripted', url: model.url });
		const children = [
			childWorkflow('awaiting', submit, awaitNode({ options: { pollInterval: 1 } })),
			childWorkflow('suspending', suspendedNode),
		];
		const parents = children.map(({ id }) =>
			calledWorkflow(
				`parent-${id}`,
				splitOut('body.rows'),
				callEach(id),
				created.report('Collect', '{ from: "p", task_id: $json.task_id, status: $json.status }'),
			),
		);
		const stopped = calledWorkflow(
			'stopped',
			submit,
			awaitNode({ waitBy: 'suspend', options: { cancelOnStop: true } }),
		);
		const caught = withId(
			'caught',
			linear(
				{ name: 'Caught', type: 'n8n-nodes-base.errorTrigger', typeVersion: 1 },
				created.report(
					'Collect',
					'{ from: "e", status: $json.execution.error.context.details.code }',
				),
			),
		);
		const failing: HostWorkflow = {
			...calledWorkflow(
				'failing',
				gatewayNode('image:generate', { prompt: 'a kite', options: { maximumCost: 0.001 } }),
			),
			settings: { executionOrder: 'v1', errorWorkflow: caught.id },
		};
		const imported = [...children, caught];
		await created.host.importWorkflows([...imported, subAgentStory('subAgent', 3)]);
		for (const { id } of imported) await created.host.publish(id);
		await created.deploy(
			...parents,
			stopped,
			failing,
			...HOOKS.map((id) => triggerWorkflow(created, id)),
		);
	});
	afterAll(async () => await model?.close());
	beforeEach(() => {
		fixture.collector.received.length = 0;
		Object.assign(fixture.sandbox.settings, settings);
	});

	const production = (id: string) => `${fixture.host.url}/webhook/${id}/${SECRET}`;
	async function submitTask(callback_url?: string): Promise<string> {
		const { sandbox } = fixture;
		const { data } = await axios.post<{ task_id: string }>(
			`${sandbox.url}/v1/tasks`,
			{ model: 'imgn-4.0', prompt: 'a kite', callback_url },
			{ headers: { authorization: `Bearer ${sandbox.key}` } },
		);
		return data.task_id;
	}

	it.each(['awaiting', 'suspending'])(
		'a sub-workflow that is called once per item makes one task each: %s',
		async (child) => {
			const before = fixture.sandbox.tasks().length;
			const rows = ['one', 'two', 'three'].map((name) => ({ name }));
			await fixture.post(`parent-${child}`, { rows });
			const items = await fixture.collector.until(rows.length);

			expect(items.map(({ status }) => status)).toEqual(rows.map(() => 'completed'));
			expect(new Set(items.map(({ task_id }) => task_id)).size).toBe(rows.length);
			expect(fixture.sandbox.tasks()).toHaveLength(before + rows.length);
			const isLogged = fixture.host.getLog().includes('Wait is Until Done here');
			expect(isLogged).toBe(child === 'suspending');
		},
	);

	it('an error workflow reads the code of the failed item', async () => {
		await fixture.post('failing', {});
		const [error] = await fixture.collector.until(1);

		expect(error).toMatchObject({ from: 'e', status: 'cost_limit_exceeded' });
	});

	it('a stop of a suspended execution cancels its task', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		await fixture.post('stopped', { name: 'endless' });
		await fixture.until(async () => (await fixture.count('waiting')) === 1);
		const [execution] = await fixture.executionsOf('stopped');
		await fixture.host.rest('POST', `/executions/${execution!.id}/stop`);
		const task = () => fixture.sandbox.tasks().at(-1)!;
		const line = `cancelled ${task().task_id} after the stop`;
		// The gateway knows it a moment before the log.
		await fixture.until(() => fixture.host.getLog().includes(line), 60);

		expect(task().status).toBe('cancelled');
	});

	it('a duplicate of a workflow with the same secret starts for its own callbacks only', async () => {
		const taskId = await submitTask(production('original'));
		await fixture.collector.until(1);
		await axios.post(production('duplicate'), { task_id: taskId });
		await fixture.collector.until(2);
		for (const id of HOOKS) await axios.post(production(id), { task_id: taskId });
		await delay(3_000);

		expect(fixture.collector.received.map(({ from }) => from).sort()).toEqual([...HOOKS].sort());
	});

	it('the test URL starts the editor, beside the production URL', async () => {
		const taskId = await submitTask(production('original'));
		await fixture.collector.until(1);
		const workflowData = await fixture.host.rest<object>('GET', '/workflows/original');
		await fixture.host.rest('POST', '/workflows/original/run', {
			workflowData,
			destinationNode: { nodeName: 'Collect', mode: 'inclusive' },
			triggerToStartFrom: { name: 'Trigger' },
		});
		await axios.post(`${fixture.host.url}/webhook-test/original/${SECRET}`, { task_id: taskId });
		await fixture.collector.until(2);
		await axios.post(production('original'), { task_id: taskId });
		await delay(3_000);

		expect(fixture.collector.received.map(({ mode }) => mode)).toEqual(['production', 'test']);
		expect(fixture.collector.received.map(({ task_id }) => task_id)).toEqual([taskId, taskId]);
	});

	it('an agent that is the tool of another agent makes one picture', async () => {
		const before = fixture.sandbox.tasks().length;
		await fixture.host.runManually('subAgent', 'Start');
		await fixture.until(async () =>
			(await fixture.executionsOf('subAgent')).some(({ status }) => status === 'success'),
		);

		expect(model.requests.some(({ tools }) => tools[0]?.function.name === ARTIST)).toBe(true);
		expect(fixture.sandbox.tasks().slice(before)).toHaveLength(1);
		expect(JSON.stringify(model.requests.at(-1))).toContain('The cover is at');
	});
});
