import { setTimeout as after } from 'node:timers/promises';
import axios from 'axios';
import type { Sandbox } from '../../sandbox';
import type { N8nHost } from '../host/n8nHost';
import { readLoad } from '../processLoad';

const EXECUTIONS = 10;
const TASKS_EACH = 100;
const TASK_MS = 60_000;

/** One worker polls a thousand tasks at once; prints what that costs in processor time and memory. */
export async function measureWorkerLoad(
	host: N8nHost,
	sandbox: Sandbox,
	worker: number,
): Promise<void> {
	sandbox.settings.taskMs = TASK_MS;
	const before = await readLoad(worker);
	let peak = before.megabytes;
	const watch = setInterval(
		() => void readLoad(worker).then(({ megabytes }) => (peak = Math.max(peak, megabytes))),
		500,
	);
	const began = Date.now();
	for (let at = 0; at < EXECUTIONS; at += 1)
		await axios.post(`${host.url}/webhook/batch`, { batch: `carried-${at}`, rows: TASKS_EACH });
	const isOver = async () => {
		const { results } = await host.rest<{ results: { status: string }[] }>(
			'GET',
			'/executions?limit=50',
		);
		return results.length >= EXECUTIONS && results.every(({ status }) => status === 'success');
	};
	while (!(await isOver()) && Date.now() - began < 4 * TASK_MS) await after(1_000);
	clearInterval(watch);

	const tasks = EXECUTIONS * TASKS_EACH;
	const used = (await readLoad(worker)).cpuSeconds - before.cpuSeconds;
	const polls = sandbox.requests.filter(({ method }) => method === 'GET').length;
	console.log(
		`One worker, ${EXECUTIONS} executions of ${TASKS_EACH} tasks of ${TASK_MS / 1000} s at once, polled:`,
	);
	console.log(
		`  all done after ${((Date.now() - began) / 1000).toFixed(0)} s, ${(polls / tasks).toFixed(1)} polls a task`,
	);
	console.log(
		`  ${used.toFixed(1)} s of processor: ${((1000 * used) / tasks).toFixed(1)} ms a task`,
	);
	console.log(
		`  ${(peak - before.megabytes).toFixed(0)} MB more memory at most, from ${before.megabytes.toFixed(0)} MB`,
	);
}
