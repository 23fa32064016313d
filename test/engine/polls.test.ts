import { itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { onFastClock } from '../support/fastClock';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';

const TASK_MS = 1_500;
const gateway = useGateway({ taskMs: TASK_MS, maxWaitSeconds: 0, progressStyle: 'none' });
const model = modelId('imgn-4.0');
const node = gatewayNode('image:generate', {
	model,
	prompt: 'a kite',
	wait: 'poll',
	options: { output: 'links' },
});

const polls = () => gateway.sandbox.requests.filter(({ method }) => method === 'GET').length;

/** A run of so many items in a workflow that has this static data; gives what its static data is then. */
async function run(count: number, staticData = {}) {
	gateway.sandbox.requests.length = 0;
	const items = Array.from({ length: count }, () => ({}));
	const workflow = { ...linear(itemsNode(items), node), staticData };
	const ended = await runWorkflow(workflow, gateway.options());
	expect(ended.error).toBeUndefined();
	expect(ended.json(NODE).filter(({ status }) => status === 'completed')).toHaveLength(count);
	return { staticData: ended.execution.workflow.staticData, polls: polls() };
}

it('costs at most three calls a task where many tasks of a model take alike', async () => {
	const { polls } = await run(100);

	expect(gateway.posts()).toHaveLength(100);
	expect(100 + polls).toBeLessThanOrEqual(300);
});

describe('what a model took', () => {
	const saved = { [`node:${NODE}`]: { durations: { 'imgn-4.0': expect.any(Number) } } };

	it(
		'is kept in the static data of the node, and makes the polls of the next execution fewer',
		onFastClock(async () => {
			gateway.sandbox.settings.taskMs = 1_000;
			const first = await run(1);
			expect(first.staticData).toMatchObject({ ...saved, __dataChanged: true });
			const second = await run(1, JSON.parse(JSON.stringify(first.staticData)) as object);

			expect(second.polls).toBeLessThan(first.polls);
		}),
	);

	it('is written only where it differs, since n8n writes to its database then', async () => {
		const { staticData } = await run(1, {
			[`node:${NODE}`]: { durations: { 'imgn-4.0': TASK_MS * 1.1 } },
		});

		expect(staticData.__dataChanged).toBeFalsy();
	});

	it('replaces what it was once, beside what was learned of other models', async () => {
		const before = { 'imgn-4.0': 60_000, 'clipk-v3': 90_000 };
		const { staticData } = await run(1, { [`node:${NODE}`]: { durations: before } });
		const { durations } = staticData[`node:${NODE}`] as { durations: Record<string, number> };

		expect(Object.keys(durations)).toEqual(['clipk-v3', 'imgn-4.0']);
		expect(durations['imgn-4.0']).toBeLessThan(10_000);
	});

	it.each([null, 'text', { 'imgn-4.0': 'soon' }, { 'imgn-4.0': -1 }, { 'imgn-4.0': null }])(
		'may have been saved as anything: %j',
		async (durations) => {
			expect((await run(1, { [`node:${NODE}`]: { durations } })).staticData).toMatchObject(saved);
		},
	);
});
