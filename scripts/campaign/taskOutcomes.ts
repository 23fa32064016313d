import type { Body, CallbackMode, Settings } from '../../sandbox';
import type { SeededRandom } from './random';

/** Rows whose prompt says so never fail at the gateway: for runs that stop at the first failure. */
export const NEVER_FAILS = '[sure]';
/** Rows whose first task does not end by itself: its run is stopped, which must cancel it. */
export const STOPPED = '[stopped]';

export interface OutcomeOptions {
	/** Share of the tasks that end failed. */
	failureShare: number;
	/** Milliseconds of most tasks, and of one in twenty. */
	usualMs: [number, number];
	slowMs: [number, number];
	/** Whether the run of a row that is stopped is over: what it has not sent is sent by the next run, and ends. */
	wasStopped?: (prompt: string) => boolean;
}

const CALLBACK_MODES: readonly CallbackMode[] = ['normal', 'normal', 'lost', 'doubled', 'early'];

/** What becomes of each task at the gateway, by its row and how often that row was taken up. */
export function createTaskOutcomes(
	random: SeededRandom,
	{ failureShare, usualMs, slowMs, wasStopped = () => false }: OutcomeOptions,
): Pick<Settings, 'taskMs' | 'fail' | 'callbacks'> {
	const submissions = new Map<string, number>();
	const getPrompt = ({ prompt }: Body) => String(prompt);
	return {
		taskMs: (body) => {
			const prompt = getPrompt(body);
			const isFirst = !submissions.has(prompt);
			if (isFirst && prompt.includes(STOPPED) && !wasStopped(prompt)) return Infinity;
			const [least, most] = random.number('pace', prompt) < 0.05 ? slowMs : usualMs;
			return random.integer(least, most, 'length', prompt);
		},
		fail: (body) => {
			const prompt = getPrompt(body);
			const times = (submissions.get(prompt) ?? 0) + 1;
			submissions.set(prompt, times);
			return !prompt.includes(NEVER_FAILS) && random.number('fail', prompt, times) < failureShare
				? 'The upstream is away.'
				: undefined;
		},
		callbacks: (body) => random.pick(CALLBACK_MODES, 'callback', getPrompt(body)),
	};
}
