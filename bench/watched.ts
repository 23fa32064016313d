import axios from 'axios';
import { mean } from './result';
import { getBenchHost } from './benchHost';
import { createFlow } from './workflows/flow';
import { loopTogether } from './workflows/loop';
import { awaitById, image, IMAGE_MODEL } from './workflows/ours';

const LENGTHS = [2, 10, 60];
const SAMPLES = 6;
/** Executions do not begin together, and the long ones begin first, so that none waits for a processor. */
const APART_MS = 250;

export interface AwaitedTasks {
	label: string;
	isOurs: boolean;
	/** Of the task. */
	seconds: number;
	count: number;
	/** Seconds from the end of the task to the item, as a mean. */
	delaySeconds: number;
	longest: number;
	polls: number;
}

/** Tasks of three lengths in the real n8n, each in an execution of its own, all side by side. */
export async function measureAwaited(): Promise<AwaitedTasks[]> {
	const benchHost = await getBenchHost();
	const { sandbox } = benchHost;
	sandbox.settings.taskMs = ({ prompt }) => Number(/\d+/.exec(String(prompt))?.[0]);
	const ways = [
		{
			label: 'Generate',
			isOurs: true,
			run: await benchHost.deploy(createFlow('watchedGenerate', 'allEntries', image())),
		},
		{
			label: 'Await by ID',
			isOurs: true,
			run: await benchHost.deploy(createFlow('watchedAwait', 'allEntries', awaitById())),
			isLater: true,
		},
		{
			label: 'Loop template, Wait 5 s',
			isOurs: false,
			run: await benchHost.deploy(loopTogether(sandbox, 'watchedLoop')),
		},
		{
			label: 'Loop template, Wait 10 s',
			isOurs: false,
			run: await benchHost.deploy(loopTogether(sandbox, 'watchedLoop10', 10)),
		},
	];
	const samples = ways.flatMap((way) =>
		LENGTHS.flatMap((seconds) =>
			Array.from({ length: SAMPLES }, (_, at) => ({
				way,
				seconds,
				ms: Math.round(seconds * 1000 * (0.9 + (0.2 * at) / SAMPLES)),
			})),
		),
	);
	samples.sort((a, b) => b.seconds - a.seconds);
	const detections = await Promise.all(
		samples.map(async ({ way, seconds, ms }, index) => {
			await new Promise((resolve) => setTimeout(resolve, index * APART_MS));
			const { task_id = undefined } = way.isLater ? await submit(sandbox, `${ms} ms`) : {};
			const { items } = await way.run([{ prompt: `${ms} ms`, task_id }]);
			const now = Date.now();
			const task = sandbox.tasks().find((task) => task.task_id === items[0]?.task_id);
			if (!task?.finished) throw new Error(`The task did not end: ${JSON.stringify(items)}`);
			return { way, seconds, late: (now - task.finished) / 1000, polls: task.polls };
		}),
	);
	return ways.flatMap((way) =>
		LENGTHS.map((seconds): AwaitedTasks => {
			const samplesOfLength = detections.filter(
				(detection) => detection.way === way && detection.seconds === seconds,
			);
			const delays = samplesOfLength.map((detection) => detection.late);
			const { label, isOurs } = way;
			return {
				label,
				isOurs,
				seconds,
				count: samplesOfLength.length,
				delaySeconds: mean(delays),
				longest: Math.max(...delays),
				polls: mean(samplesOfLength.map(({ polls }) => polls)),
			};
		}),
	);
}

async function submit(
	{ url, key }: { url: string; key: string },
	prompt: string,
): Promise<{ task_id: string }> {
	const body = { model: IMAGE_MODEL, prompt };
	return (
		await axios.post<{ task_id: string }>(`${url}/v1/tasks`, body, {
			headers: { authorization: `Bearer ${key}` },
		})
	).data;
}
