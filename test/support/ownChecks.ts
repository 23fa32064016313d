import { systemClock } from '../../nodes/n8n/systemClock';
import { delay } from './useSandbox';

/** The timers of a suspended execution's own checks: those that do not keep the process, with these lengths. */
const SHORTEST_MS = 2_500;

export interface OwnChecks {
	/** Lets the time of the next check come, and of those that follow from it; as often as told. */
	run(times: number): Promise<void>;
	/** How many checks are planned. */
	count(): number;
}

/** Holds the own checks of suspended executions until a test lets their time come; restored by `jest.restoreAllMocks`. */
export function holdOwnChecks(): OwnChecks {
	const planned: Array<() => void> = [];
	const { after } = systemClock;
	jest.spyOn(systemClock, 'after').mockImplementation((ms, callback, options) => {
		if (options?.keepsProcess || ms < SHORTEST_MS) return after(ms, callback, options);
		// Time limits of requests are cancelled when the answer is there.
		planned.push(callback);
		return () => {
			const at = planned.indexOf(callback);
			if (at >= 0) planned.splice(at, 1);
		};
	});
	return {
		async run(times) {
			for (let time = 0; time < times; time += 1) {
				for (const callback of planned.splice(0)) callback();
				await delay(150);
			}
		},
		count: () => planned.length,
	};
}
