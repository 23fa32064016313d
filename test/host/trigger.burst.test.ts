import axios from 'axios';
import { linear } from '../../scripts/engine';
import { typeOf } from '../../scripts/package';
import { hostsOr } from '../support/hosts';
import { useHost, withId, type HostFixture } from '../support/useHost';
import { delay } from '../support/useSandbox';

/** Callbacks at once, one size after the other: `BURST=50,400,1000 npm run test:host -- burst`. The benchmark has the figures. */
const BURSTS = (process.env.BURST ?? '50,150').split(',').map(Number);
const HOOK = 'burst';
/** A gateway that repeats a callback that was not taken. */
const settings = {
	taskMs: Infinity,
	callbackRetry: { attempts: 20, delayMs: 2_000, timeoutMs: 10_000 },
};

describe.each(hostsOr('newest'))('a burst of callbacks to n8n $n8n', (version) => {
	const fixture: HostFixture<{ task_id: string }> = useHost<{ task_id: string }>(
		version,
		{ settings },
		async (created) => {
			const trigger = {
				type: typeOf('generationGatewayTrigger'),
				typeVersion: 2,
				webhookId: HOOK,
				credentials: 'generationGatewayApi',
			};
			const report = created.report('Collect', '{ task_id: $json.task_id }');
			await created.deploy(withId(HOOK, linear(trigger, report)));
		},
	);

	async function submit(): Promise<string> {
		const { sandbox, host } = fixture;
		const callback_url = `${host.url}/webhook/${HOOK}/callback`;
		const { data } = await axios.post<{ task_id: string }>(
			`${sandbox.url}/v1/tasks`,
			{ model: 'imgn-4.0', prompt: 'a kite', callback_url },
			{ headers: { authorization: `Bearer ${sandbox.key}` } },
		);
		return data.task_id;
	}

	it.each(BURSTS)('of %d starts one run for each task', async (count) => {
		const { collector, sandbox } = fixture;
		collector.received.length = 0;
		const ids = await Promise.all(Array.from({ length: count }, submit));
		for (const id of ids) void sandbox.finish(id);
		await collector.until(count, 300);
		// What would come twice has come by then.
		await delay(3_000);

		expect(collector.received.map(({ task_id }) => task_id).sort()).toEqual(ids.sort());
	});
});
