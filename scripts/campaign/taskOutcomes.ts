import type { Body, CallbackMode, Settings } from '../../sandbox';
import type { Chance } from './random';

/** Rows whose prompt says so never fail at the gateway: for runs that stop at the first failure. */
export const SURE = '[sure]';

export interface Fates {
	/** Share of the tasks that end failed. */
	failing: number;
	/** Milliseconds of most tasks, and of one in twenty. */
	usual: [number, number];
	slow: [number, number];
}

const MODES: readonly CallbackMode[] = ['normal', 'normal', 'lost', 'doubled', 'early'];

/** What becomes of each task at the gateway, by its row and how often that row was taken up. */
export function fatesBy(
	chance: Chance,
	{ failing, usual, slow }: Fates,
): Pick<Settings, 'taskMs' | 'fail' | 'callbacks'> {
	const taken = new Map<string, number>();
	const promptOf = ({ prompt }: Body) => String(prompt);
	return {
		taskMs: (body) => {
			const [least, most] = chance.of('pace', promptOf(body)) < 0.05 ? slow : usual;
			return chance.between(least, most, 'length', promptOf(body));
		},
		fail: (body) => {
			const prompt = promptOf(body);
			const times = (taken.get(prompt) ?? 0) + 1;
			taken.set(prompt, times);
			return !prompt.includes(SURE) && chance.of('fail', prompt, times) < failing
				? 'The upstream is away.'
				: undefined;
		},
		callbacks: (body) => chance.pick(MODES, 'callback', promptOf(body)),
	};
}
