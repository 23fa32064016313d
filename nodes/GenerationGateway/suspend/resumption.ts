import { systemClock } from '../../n8n/systemClock';

/**
 * n8n resumes within this time or refuses, e.g. because it is recovering the execution after a crash.
 * Older hosts do not notice a second resume in that time.
 */
const STARTING_MS = 3_000;
/**
 * That time is counted in steps: right after its start n8n stands still for seconds, and calls that came
 * meanwhile must not find the time over before n8n had any of it.
 */
const STEPS = 6;

/**
 * `making`: its items are made. `failed`: they could not be. `starting`: n8n has them. `unconfirmed`: n8n
 * has had its time, and nobody knows what came of it. `confirmed`: n8n says that it has gone on.
 */
type State = 'making' | 'failed' | 'starting' | 'unconfirmed' | 'confirmed';

/** How a suspended execution was resumed, so that it is resumed once: a second time would run it twice. */
export class Resumption {
	private state: State = 'making';

	/** `key` tells the tasks for which the execution was suspended. */
	constructor(private readonly key: string) {}

	/**
	 * The answer to a call for these tasks; undefined where it has to find out by itself. While the items
	 * are made it is to come again, since that may fail.
	 */
	answer(key: string): 'again' | 'received' | undefined {
		if (key !== this.key) return undefined;
		if (this.state === 'making') return 'again';
		return this.state === 'starting' || this.state === 'confirmed' ? 'received' : undefined;
	}

	/** Its items are made, or n8n has them and has not said yet that it goes on. */
	get isUnderWay(): boolean {
		return this.state === 'making' || this.state === 'starting';
	}

	fail(): void {
		this.state = 'failed';
	}

	start(): void {
		this.state = 'starting';
		const count = (steps: number): void => {
			if (steps) systemClock.after(STARTING_MS / STEPS, () => count(steps - 1));
			else if (this.state === 'starting') this.state = 'unconfirmed';
		};
		count(STEPS);
	}

	confirm(): void {
		this.state = 'confirmed';
	}
}
