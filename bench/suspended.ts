import { stage } from './benchHost';
import { mean } from './result';
import { parkedFlow } from './workflows/ours';
import type { Watched } from './watched';

const LENGTHS = [4, 12];
const SAMPLES = 5;
const APART_MS = 600;
const PATIENCE_MS = 60_000;

/** Parked executions that the gateway calls back: each ends with a call that says it has gone on. */
export async function suspended(): Promise<Watched[]> {
	const standing = await stage();
	const { sandbox } = standing;
	sandbox.settings.taskMs = ({ prompt }) => Number(/\d+/.exec(String(prompt))?.[0]);
	const play = await standing.rehearse(parkedFlow(sandbox));
	const samples = LENGTHS.flatMap((seconds) =>
		Array.from({ length: SAMPLES }, (_, at) => ({
			seconds,
			prompt: `${seconds * 1000 + at * 100} ms, parked`,
		})),
	);
	const before = sandbox.tasks().length;
	for (const { prompt } of samples) {
		await play([{ prompt }], { keepsRecord: true });
		await new Promise((resolve) => setTimeout(resolve, APART_MS));
	}

	const reports = () => sandbox.requests.filter(({ query }) => query.done !== undefined);
	for (const until = Date.now() + PATIENCE_MS; reports().length < samples.length;) {
		if (Date.now() > until)
			throw new Error(
				`${reports().length} of ${samples.length} parked executions went on:\n${standing.host.printed().slice(-2000)}`,
			);
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	const seen = samples.map(({ seconds, prompt }) => {
		const task = sandbox
			.tasks()
			.slice(before)
			.find(({ body }) => body.prompt === prompt)!;
		const report = reports().find(({ query }) => query.done === task.task_id)!;
		return { seconds, late: (report.at - task.finished!) / 1000, looks: task.polls };
	});
	return LENGTHS.map((seconds): Watched => {
		const own = seen.filter((one) => one.seconds === seconds);
		const late = own.map((one) => one.late);
		return {
			label: 'Suspended',
			isOurs: false,
			seconds,
			count: own.length,
			late: mean(late),
			longest: Math.max(...late),
			looks: mean(own.map(({ looks }) => looks)),
		};
	});
}
