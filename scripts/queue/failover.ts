import type { ChildProcess } from 'node:child_process';
import axios from 'axios';
import type { Sandbox } from '../../sandbox';
import type { N8nHost } from '../host/n8nHost';
import { waitUntil } from './waitUntil';

const BATCH = 'handed-on';
const TASKS = 60;
const TASK_MS = 60_000;

/**
 * The worker of an execution is killed with -9 while its tasks are under way, and n8n hands the execution to
 * another one. It starts anew there, with the node's own keys, and is to land on the tasks that are there.
 */
export async function checkFailover(
	host: N8nHost,
	sandbox: Sandbox,
	killedWorker: ChildProcess,
	startAnother: () => Promise<ChildProcess>,
): Promise<boolean> {
	sandbox.settings.taskMs = TASK_MS;
	console.log(
		`An execution of ${TASKS} tasks of ${TASK_MS / 1000} s, without keys of the workflow's own, on one worker:`,
	);
	const began = Date.now();
	await axios.post(`${host.url}/webhook/batch`, { batch: BATCH, rows: TASKS });
	const tasks = () => sandbox.tasks().filter(({ body }) => String(body.prompt).startsWith(BATCH));
	await waitUntil(() => tasks().length > TASKS / 2);
	const made = tasks().length;
	killedWorker.kill('SIGKILL');
	await startAnother();
	let status = '';
	await waitUntil(async () => {
		const { results } = await host.rest<{ results: { status: string }[] }>(
			'GET',
			`/executions?limit=1&filter=${encodeURIComponent('{"workflowId":"batch"}')}`,
		);
		status = results[0]?.status ?? '';
		return !['new', 'running'].includes(status);
	});
	const prompts = tasks().map(({ body }) => body.prompt);
	const twice = prompts.length - new Set(prompts).size;
	console.log(
		`  killed with -9 when ${made} were made; on another worker it ended as ${status} after ${Math.round((Date.now() - began) / 1000)} s`,
	);
	console.log(`  ${prompts.length} tasks made, ${twice} made twice`);
	return status === 'success' && twice === 0 && prompts.length === TASKS;
}
