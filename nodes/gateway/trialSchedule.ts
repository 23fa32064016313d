/** What a trial is to show: that a window is shorter, or that it holds more. */
export type Trial = 'shorter' | 'larger';

/** Windows before a trial, at first, at most, and so many times more after one that failed. */
const FIRST_GAP = { shorter: 1, larger: 3 };
const GAP_GROWTH = { shorter: 2, larger: 3 };
const LONGEST_GAP = 64;
/** Requests between two trials, at least. */
const FEW_REQUESTS = 10;

/** When the next trial of each kind is due: the more often it failed, the later. */
export class TrialSchedule {
	private gaps = { ...FIRST_GAP };
	private held = { shorter: 0, larger: 0 };

	copy(): TrialSchedule {
		const [gaps, held] = [{ ...this.gaps }, { ...this.held }];
		return Object.assign(new TrialSchedule(), { gaps, held });
	}

	isDue(trial: Trial): boolean {
		return this.held[trial] >= this.gaps[trial];
	}

	/** It failed so often that what it was based on may be out of date. */
	isRare(trial: Trial): boolean {
		return this.gaps[trial] === LONGEST_GAP;
	}

	/** What earlier trials showed does not count any more. */
	renew(trial: Trial): void {
		this.gaps[trial] = FIRST_GAP[trial];
	}

	/** A window held. */
	hold(): void {
		this.held = { shorter: this.held.shorter + 1, larger: this.held.larger + 1 };
	}

	/** A window did not hold, so trials have to wait. */
	restart(): void {
		this.held = { shorter: 0, larger: 0 };
	}

	succeed(trial: Trial, quota: number): void {
		this.gaps[trial] = Math.max(1, Math.ceil(FEW_REQUESTS / quota));
		this.restart();
	}

	fail(trial: Trial): void {
		this.gaps[trial] = Math.min(LONGEST_GAP, this.gaps[trial] * GAP_GROWTH[trial]);
		this.held[trial] = 0;
	}
}
