import { hostRules } from '../../nodes/n8n/hostRules';
import { executeAsTool, itemsNode, linear, TOOL_CALLER } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway, type Menu } from '../support/gateway';
import { useInstance } from '../support/useInstance';

const gateway = useGateway();
const instance = useInstance();
beforeEach(() => void jest.replaceProperty(hostRules, 'routesStoredFailures', false));
afterEach(() => void jest.restoreAllMocks());

const kite = { model: modelId('imgn-4.0'), prompt: '={{ $json.prompt }}', wait: 'suspend' };
const json = '={{ { prompt: $json.prompt } }}';

/** A row that is refused and one that is made, in a host that does not send stored failures to the error output. */
const run = async (
	menu: Menu,
	parameters: object,
	onError: 'continueErrorOutput' | 'continueRegularOutput',
) =>
	await instance.run(
		linear(
			itemsNode([{ prompt: '' }, { prompt: 'a kite' }]),
			...(menu === 'task:await'
				? [
						gatewayNode(
							'task:submit',
							{ ...kite, wait: 'none', parameters: '{"prompt":"a kite"}' },
							{ name: 'Submit' },
						),
					]
				: []),
			gatewayNode(menu, parameters as never, { onError }),
		),
		gateway.options(),
	);

describe.each<[Menu, object]>([
	['image:generate', kite],
	['task:submit', { ...kite, parameters: json }],
	['task:await', { taskId: '={{ $itemIndex ? $json.task_id : "no id" }}', waitBy: 'suspend' }],
])('%s in a host that sends stored failures to the success output', (menu, parameters) => {
	it('polls with an error output, so that a failed row goes there, and says so', async () => {
		gateway.sandbox.settings.taskMs = 300;
		const ran = await run(menu, parameters, 'continueErrorOutput');

		expect(ran.status).toBe('success');
		expect(ran.json(NODE)).toEqual([expect.objectContaining({ status: 'completed' })]);
		expect(ran.items(NODE, 1).map(({ json: { details } }) => details)).toEqual([
			expect.objectContaining({ code: 'invalid_input' }),
		]);
		expect(JSON.stringify(ran.hints(NODE))).toContain('set On Error to Continue');
	});

	it('suspends without an error output', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		expect((await run(menu, parameters, 'continueRegularOutput')).status).toBe('waiting');
	});
});

it('says so after Retry On Fail, too', async () => {
	gateway.sandbox.settings.taskMs = 300;
	let requests = 0;
	gateway.sandbox.faults.injection = () => {
		requests += 1;
		return requests > 1 && requests < 5 ? { kind: { status: 401 } } : undefined;
	};
	const retried = {
		onError: 'continueErrorOutput' as const,
		retryOnFail: true,
		waitBetweenTries: 1,
	};
	const ran = await instance.run(
		linear(itemsNode([{ prompt: 'a kite' }]), gatewayNode('image:generate', kite, retried)),
		gateway.options(),
	);

	expect(ran.json(NODE)).toEqual([expect.objectContaining({ status: 'completed' })]);
	expect(JSON.stringify(ran.hints(NODE))).toContain('set On Error to Continue');
});

it('polls as a tool, of whose suspended calls n8n would lose answers', async () => {
	jest.replaceProperty(hostRules, 'runsCallsInOrder', false);
	gateway.sandbox.settings.taskMs = 300;
	const tool = gatewayNode('image:generate', { ...kite, prompt: 'a kite' });
	const run = await executeAsTool(tool, {}, gateway.options());

	expect(run.json(TOOL_CALLER)).toMatchObject([{ status: 'completed' }]);
});
