import { Backoff } from './limit';

/** A step of a trial, as a share. With 0.1, p90 of 200 rows is 1.3, not 1.1. */
export const STEP = 0.05;
/** So many windows in a row prove something. With 5, 35 % random refusals take up to 1.7 times AIMD, not 1.4. */
export const PROOF = 3;
/** The first trial comes after so many windows. With 3, 1,500 rows have 2.1 % refused, not 1.4 %. */
const FIRST_TRIAL_GAP = 4;

/** So many requests in each window. Its length is undefined until it is known. */
export interface Plan {
	quota: number;
	lengthMs?: number;
}

/** A plan that would be faster. It must still hold for `left` windows. */
type Trial = Plan & { isLarger: boolean; left: number };

/** Trials of shorter and of larger windows, ever more rarely. */
export class WindowTrials {
	current: Trial | undefined;
	private readonly backoff = new Backoff(FIRST_TRIAL_GAP);
	/** The next larger trial adds so many steps. */
	private growth = 1;
	private isLargerNext = false;
	/** Such a window was not over. */
	private tooShortMs = 0;

	/** Starts the next trial if it is due. */
	start(known: Required<Plan>): void {
		if (this.backoff.isDue) this.current ??= this.create(known);
	}

	/** A window took what was planned. Returns the plan that this has proved. */
	hold(): Plan | undefined {
		const { current } = this;
		this.backoff.accept();
		if (!current || (current.left -= 1) > 0) return undefined;
		this.current = undefined;
		this.isLargerNext = true;
		if (current.isLarger) this.growth *= 2;
		this.backoff.reset();
		return { quota: current.quota, lengthMs: current.lengthMs };
	}

	/** Returns whether there was a trial. */
	fail(): boolean {
		const { current } = this;
		if (current) this.isLargerNext = !current.isLarger;
		this.current = undefined;
		this.growth = 1;
		return current !== undefined;
	}

	/** A window of this length was not over. Returns whether it was that of a trial. */
	failProbe(lengthMs: number): boolean {
		this.tooShortMs = Math.max(this.tooShortMs, lengthMs);
		return this.current !== undefined && this.fail();
	}

	/**
	 * Other processes may be why probes were refused: shorter lengths are tried again. Without, four processes
	 * under 5 in 1 s take 3.8 times the least, not 3.2.
	 */
	forgetProbes(): void {
		this.tooShortMs = 0;
	}

	private create({ quota, lengthMs }: Required<Plan>): Trial {
		this.backoff.delay();
		const lessMs = (lengthMs - this.tooShortMs) / 2;
		// With one step, 1,500 rows have 4 % refused, not 2 %.
		if (!this.isLargerNext && lessMs > 3 * STEP * lengthMs) {
			// In windows of a clock, a shorter one holds by luck until it has drifted through one of them.
			const left = Math.ceil(lengthMs / lessMs) + 1;
			return { quota, lengthMs: lengthMs - lessMs, isLarger: false, left };
		}
		const more = Math.min(quota, Math.max(1, Math.floor(quota * STEP)) * this.growth);
		return { quota: quota + more, lengthMs, isLarger: true, left: this.growth > 1 ? 1 : PROOF };
	}
}
