import { systemClock } from '../../n8n/systemClock';

/** Within this time n8n resumes or refuses, also after a crash. Older hosts do not notice a second resume. */
const STARTING_MS = 3_000;
/** Counted in steps: right after its start n8n stands still for seconds, which must not use up the time. */
const STEPS = 6;

/**
 * `making`: its items are made. `starting`: n8n has them. `confirmed`: n8n says that it has gone on. `open`:
 * its items could not be made, or n8n has had its time.
 */
type State = 'making' | 'starting' | 'confirmed' | 'open';

/** How an execution was resumed, so that it is resumed only once. */
export class Resumption {
	private state: State = 'making';

	/** `key` stands for the tasks of the suspension. */
	constructor(private readonly key: string) {}

	/** The answer to a call for these tasks. Undefined: it has to find out. `again`: the items are made now, which may fail. */
	answer(key: string): 'again' | 'received' | undefined {
		if (key !== this.key) return undefined;
		if (this.state === 'making') return 'again';
		return this.state === 'starting' || this.state === 'confirmed' ? 'received' : undefined;
	}

	get isUnderWay(): boolean {
		return this.state === 'making' || this.state === 'starting';
	}

	fail(): void {
		this.state = 'open';
	}

	start(): void {
		this.state = 'starting';
		const count = (steps: number): void => {
			if (steps) systemClock.after(STARTING_MS / STEPS, () => count(steps - 1));
			else if (this.state === 'starting') this.state = 'open';
		};
		count(STEPS);
	}

	confirm(): void {
		this.state = 'confirmed';
	}
}
