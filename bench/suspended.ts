import { getBenchHost } from './benchHost';
import { mean } from './result';
import { createSuspendFlow } from './workflows/ours';
import type { AwaitedTasks } from './watched';

const LENGTHS = [4, 12];
const SAMPLES = 5;
const APART_MS = 600;
const TIMEOUT_MS = 60_000;

/** Suspended executions that the gateway calls back: each ends with a request that reports that it resumed. */
export async function measureSuspended(): Promise<AwaitedTasks[]> {
	const benchHost = await getBenchHost();
	const { sandbox } = benchHost;
	sandbox.settings.taskMs = ({ prompt }) => Number(/\d+/.exec(String(prompt))?.[0]);
	const run = await benchHost.deploy(createSuspendFlow(sandbox));
	const samples = LENGTHS.flatMap((seconds) =>
		Array.from({ length: SAMPLES }, (_, at) => ({
			seconds,
			prompt: `${seconds * 1000 + at * 100} ms, suspended`,
		})),
	);
	const before = sandbox.tasks().length;
	for (const { prompt } of samples) {
		await run([{ prompt }], { keepsRecord: true });
		await new Promise((resolve) => setTimeout(resolve, APART_MS));
	}

	const reports = () => sandbox.requests.filter(({ query }) => query.done !== undefined);
	for (const deadline = Date.now() + TIMEOUT_MS; reports().length < samples.length;) {
		if (Date.now() > deadline)
			throw new Error(
				`${reports().length} of ${samples.length} suspended executions resumed:\n${benchHost.host.getLog().slice(-2000)}`,
			);
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	const detections = samples.map(({ seconds, prompt }) => {
		const task = sandbox
			.tasks()
			.slice(before)
			.find(({ body }) => body.prompt === prompt)!;
		const report = reports().find(({ query }) => query.done === task.task_id)!;
		return { seconds, late: (report.at - task.finished!) / 1000, polls: task.polls };
	});
	return LENGTHS.map((seconds): AwaitedTasks => {
		const samplesOfLength = detections.filter((detection) => detection.seconds === seconds);
		const delays = samplesOfLength.map((detection) => detection.late);
		return {
			label: 'Suspended',
			isOurs: false,
			seconds,
			count: samplesOfLength.length,
			delaySeconds: mean(delays),
			longest: Math.max(...delays),
			polls: mean(samplesOfLength.map(({ polls }) => polls)),
		};
	});
}
