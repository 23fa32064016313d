/** Requests under way at once, by what the caller allows. */
export interface ConcurrencyRange {
	/** From the beginning. */
	concurrency: number;
	/** What it may grow to while the gateway keeps up; as many as from the beginning unless given. */
	mostConcurrency?: number;
}

/**
 * How many requests may be under way at once while nothing is refused: one more for each that is
 * answered well while others wait. A gateway that fails is not asked for more than at the beginning.
 */
export class ConcurrencyGrowth {
	private places: number;
	private most: number;

	constructor(private readonly range: ConcurrencyRange) {
		this.places = range.concurrency;
		this.most = range.mostConcurrency ?? range.concurrency;
	}

	get current(): number {
		return this.places;
	}

	/** A request was answered with this status; undefined where no answer came. */
	note(status: number | undefined, isAnyWaiting: boolean): void {
		if (status === 429) this.most = this.places;
		else if (status === undefined || status >= 500)
			this.places = this.most = this.range.concurrency;
		else if (isAnyWaiting) this.places = Math.min(this.most, this.places + 1);
	}
}
