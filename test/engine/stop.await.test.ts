import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { useInstance } from '../support/useInstance';
import { until } from '../support/useSandbox';

const gateway = useGateway({ taskMs: Infinity });
const instance = useInstance();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const tasks = () => gateway.sandbox.tasks();
const statuses = () => tasks().map(({ status }) => status);

describe('stopping Task > Await cancels the tasks that run', () => {
	/** Two tasks; awaits them with these parameters, and stops when the condition is met. */
	async function stopAwait(parameters: IDataObject, met: () => boolean) {
		const { sandbox } = gateway;
		const made = await gateway.run(
			'image:generate',
			{ ...kite, wait: 'none' },
			{ items: [{}, {}] },
		);
		const ids = made.json(NODE).map(({ task_id }) => String(task_id));
		const files = { match: { method: 'GET', path: /files/ }, times: 9, kind: 'hang' } as const;
		sandbox.faults.add(files);
		const user = new AbortController();
		const { options, ...more } = parameters;
		const node = gatewayNode('task:await', {
			taskId: '={{ $json.id }}',
			...more,
			options: { cancelOnStop: true, output: 'files', ...(options as object) },
		});
		const items = ids.map((id, row) => ({ id, row }));
		const signal = user.signal;
		const ending = instance.run(linear(itemsNode(items), node), { ...gateway.options(), signal });
		await until(met);
		user.abort();
		await ending;
		await until(() => statuses().includes('cancelled'));
	}
	const isDownloading = () => gateway.sandbox.downloads.length > 0;

	it.each(['poll', 'suspend'])('while files of others are downloaded, with %s', async (waitBy) => {
		gateway.sandbox.settings.maxWaitSeconds = 0;
		const finishing = until(() => tasks().length === 2).then(
			async () => await gateway.sandbox.finish(tasks()[0]!.task_id),
		);
		await stopAwait({ waitBy }, isDownloading);
		await finishing;

		expect(statuses()).toEqual(['completed', 'cancelled']);
	});

	it('also one whose own Max Wait is over', async () => {
		const options = { timeout: '={{ $json.row ? 100 : 1 }}', pollInterval: 1 };
		const pollsOf = (row: number) =>
			gateway.sandbox.requests.filter(({ path }) => path.endsWith(tasks()[row]!.task_id)).length;
		let last: number[] = [];
		// Three polls of the other one without one of it.
		const isLate = () => {
			if (tasks().length < 2) return false;
			const polls = [pollsOf(0), pollsOf(1)];
			if (polls[0] !== last[0]) last = polls;
			return polls[0]! > 0 && polls[1]! >= last[1]! + 3;
		};
		await stopAwait({ options }, isLate);
		await until(() => statuses().every((status) => status === 'cancelled'));
	});
});
