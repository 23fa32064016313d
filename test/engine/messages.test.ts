import { findTaskError } from '../../nodes/n8n/items/task';
import { readTask } from '../../nodes/gateway/tasks/schema';
import { validate } from '../../nodes/catalog/validate';
import { getModelSpec } from '../../nodes/catalog/modelSpec';
import { modelId, NODE, useGateway } from '../support/gateway';

const gateway = useGateway();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite', options: { output: 'links' } };
const hintOf = (error: string) =>
	findTaskError(readTask({ task_id: 'task_1', status: 'failed', error, cost: 0 })!);

describe('what a user reads', () => {
	it('of a refused policy advises no other run of the same, and of another reason does', () => {
		const refused = hintOf('The prompt violates the content policy');
		expect(refused?.hint).toBe(
			'It was refunded in full. Change the prompt or the files: the same request is refused again.',
		);
		expect(refused?.details.retry).toBe(false);

		const failed = hintOf('The upstream is away');
		expect(failed?.hint).toContain('Run it again for a new task');
		expect(failed?.details.retry).toBe(true);
	});

	it('of a 500 says what a retry finds, and what a new run makes', async () => {
		gateway.sandbox.faults.add({ match: { path: '/v1/tasks' }, times: 99, kind: { status: 500 } });
		const run = await gateway.run('image:generate', {
			...kite,
			options: { ...kite.options, timeout: 1 },
		});

		expect(run.nodeError(NODE)?.description).toContain(
			'it is not billed twice. A new run makes a new task',
		);
	});

	it('of two missing frames is one sentence', () => {
		const { issues } = validate(getModelSpec('clipk-v3'), {
			prompt: 'waves',
			action: 'first_last_frame',
		});
		expect(issues.map(({ message }) => message)).toEqual([
			'First Frame Image and Last Frame Image are empty. First and Last Frame requires First Frame Image and Last Frame Image',
		]);
	});

	it('of prices is their sum, and how many are not known', async () => {
		const items = [{ model: 'imgn-4.0' }, { model: 'imgn-4.0' }, { model: 'gp-4o-image' }];
		const run = await gateway.run(
			'task:submit',
			{
				model: modelId('={{ $json.model }}'),
				parameters: '{ "prompt": "a kite" }',
				options: { dryRun: true },
			},
			{ items },
		);

		expect(run.hints(NODE).map(({ message }) => message)).toEqual([
			'2 items: $0.085; 1 item without a stated price. Nothing was sent',
		]);
		expect(gateway.posts()).toEqual([]);
	});

	it('of a field that the gateway refuses has its label, once', async () => {
		gateway.sandbox.faults.add({
			match: { path: '/v1/tasks' },
			kind: { status: 400, message: 'first_frame_image must be a publicly reachable link' },
		});
		const run = await gateway.run('video:generate', {
			model: modelId('clipk-v3'),
			prompt: 'waves',
			action: 'image2video',
			first_frame_image: 'https://example.com/a.png',
		});

		expect(run.nodeError(NODE)?.message).toContain(
			'First Frame Image must be a publicly reachable',
		);
		expect(run.nodeError(NODE)?.message).not.toContain('first_frame_image');
	});
});
