import axios from 'axios';
import { linear } from '../../scripts/engine';
import { startCollector, type Collector } from '../../scripts/host/collector';
import { typeOf } from '../../scripts/package';
import { createCluster, type Cluster } from '../../scripts/queue/cluster';
import { hostsOr } from '../support/hosts';
import { createReport, withId } from '../support/useHost';
import { delay } from '../support/useSandbox';

const TASKS = 60;
const HOOK = 'queued';

/** Needs Debian's redis-server and postgresql. */
describe.each(hostsOr('newest'))('callbacks in queue mode, n8n $n8n', (version) => {
	let cluster: Cluster;
	let collector: Collector<{ task_id: string }>;
	beforeAll(async () => {
		collector = await startCollector();
		cluster = await createCluster(version);
		const trigger = {
			type: typeOf('generationGatewayTrigger'),
			typeVersion: 2,
			webhookId: HOOK,
			credentials: 'generationGatewayApi',
		};
		const report = createReport('Collect', collector.url, '{ task_id: $json.task_id }');
		await cluster.host.importWorkflows([withId(HOOK, linear(trigger, report))]);
		await restartMain();
		await cluster.host.publish(HOOK);
		for (let count = 0; count < 2; count += 1) await cluster.startWorker();
		Object.assign(cluster.sandbox.settings, {
			taskMs: Infinity,
			callbacks: 'doubled',
			callbackRetry: { attempts: 20, delayMs: 1_000, timeoutMs: 10_000 },
		});
	});
	afterAll(async () => {
		await cluster?.teardown();
		await collector?.close();
	});

	async function restartMain(): Promise<void> {
		await cluster.host.stop();
		await cluster.host.start();
		await cluster.host.signIn();
	}
	const url = () => `${cluster.host.url}/webhook/${HOOK}/callback`;
	async function submit(): Promise<string> {
		const { url: gateway, key } = cluster.sandbox;
		const body = { model: 'imgn-4.0', prompt: 'a kite', callback_url: url() };
		const headers = { authorization: `Bearer ${key}` };
		const { data } = await axios.post<{ task_id: string }>(`${gateway}/v1/tasks`, body, {
			headers,
		});
		return data.task_id;
	}

	it('that come twice, and again when main was restarted, start one run for each task', async () => {
		const ids = await Promise.all(Array.from({ length: TASKS }, submit));
		for (const id of ids) void cluster.sandbox.finish(id);
		await collector.until(TASKS, 120);
		await delay(5_000);
		await restartMain();
		for (const task_id of ids) await axios.post(url(), { task_id });
		await delay(5_000);

		expect(collector.received.map(({ task_id }) => task_id).sort()).toEqual(ids.sort());
	});
});
