import axios from 'axios';
import { mean } from './result';
import { stage } from './benchHost';
import { flow } from './workflows/flow';
import { loopTogether } from './workflows/loop';
import { awaitById, image, IMAGE_MODEL } from './workflows/ours';

const LENGTHS = [2, 10, 60];
const SAMPLES = 6;
/** Executions do not begin together, and the long ones begin first, so that none waits for a processor. */
const APART_MS = 250;

export interface Watched {
	label: string;
	isOurs: boolean;
	/** Of the task. */
	seconds: number;
	count: number;
	/** Seconds from the end of the task to the item, as a mean. */
	late: number;
	longest: number;
	looks: number;
}

/** Tasks of three lengths in the real n8n, each in an execution of its own, all side by side. */
export async function watched(): Promise<Watched[]> {
	const standing = await stage();
	const { sandbox } = standing;
	sandbox.settings.taskMs = ({ prompt }) => Number(/\d+/.exec(String(prompt))?.[0]);
	const ways = [
		{
			label: 'Generate',
			isOurs: true,
			play: await standing.rehearse(flow('watchedGenerate', 'allEntries', image())),
		},
		{
			label: 'Await by ID',
			isOurs: true,
			play: await standing.rehearse(flow('watchedAwait', 'allEntries', awaitById())),
			isLater: true,
		},
		{
			label: 'Loop template, Wait 5 s',
			isOurs: false,
			play: await standing.rehearse(loopTogether(sandbox, 'watchedLoop')),
		},
		{
			label: 'Loop template, Wait 10 s',
			isOurs: false,
			play: await standing.rehearse(loopTogether(sandbox, 'watchedLoop10', 10)),
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
	const seen = await Promise.all(
		samples.map(async ({ way, seconds, ms }, place) => {
			await new Promise((resolve) => setTimeout(resolve, place * APART_MS));
			const { task_id = undefined } = way.isLater ? await submitted(sandbox, `${ms} ms`) : {};
			const { items } = await way.play([{ prompt: `${ms} ms`, task_id }]);
			const now = Date.now();
			const task = sandbox.tasks().find((entry) => entry.task_id === items[0]?.task_id);
			if (!task?.finished) throw new Error(`The task did not end: ${JSON.stringify(items)}`);
			return { way, seconds, late: (now - task.finished) / 1000, looks: task.polls };
		}),
	);
	return ways.flatMap((way) =>
		LENGTHS.map((seconds): Watched => {
			const own = seen.filter((one) => one.way === way && one.seconds === seconds);
			const late = own.map((one) => one.late);
			const { label, isOurs } = way;
			return {
				label,
				isOurs,
				seconds,
				count: own.length,
				late: mean(late),
				longest: Math.max(...late),
				looks: mean(own.map(({ looks }) => looks)),
			};
		}),
	);
}

async function submitted(
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
