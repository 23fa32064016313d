/** Accepted requests between two tests, at first and at most. */
const FIRST_GAP = 4;
const LONGEST_GAP = 128;
/** So many times more after a refused probe. */
const PROBE_FACTOR = 8;
/** Tests in a row that must be accepted before refusals are taken for chance without one. */
const MOST_TESTS = 3;
/** Refusals that come closer together than chance would have them show a limit. */
const MOST_DOUBT = 4;
/** What an accepted request takes away of it: one refusal in three is the most that chance explains. */
const DOUBT_RELIEF = 1 / 2;
/** Accepted requests after which it is believed for good that refusals come by chance. */
const PROOF = 48;

/**
 * Whether a gateway refuses some requests whatever is sent: one of its servers is full, or the model of
 * that request is. The test is a request right after the refusal, while no time has passed and no place
 * has become free. Where there is a limit it is refused, and the next test comes later.
 */
export class RandomRefusals {
	private doubt = 0;
	private tests = 0;
	/** Since the last test that was refused. */
	private accepted = 0;
	private gap = FIRST_GAP;

	/** Refusals need no test any more. */
	get isBelieved(): boolean {
		return this.tests >= MOST_TESTS;
	}

	/** It has been believed for long. */
	get isProven(): boolean {
		return this.isBelieved && this.accepted >= PROOF;
	}

	/** So many requests were refused that a test would be too. */
	get isDoubted(): boolean {
		return this.doubt > MOST_DOUBT;
	}

	/** A request was not refused. */
	accept(): void {
		this.accepted += 1;
		this.doubt = Math.max(0, this.doubt - DOUBT_RELIEF);
	}

	/** A request was refused. */
	refuse(): void {
		this.doubt = Math.min(2 * MOST_DOUBT, this.doubt + 1);
	}

	/** A refusal may be tested; that of a probe is most likely one that came too early. */
	isTestDue(wasProbe: boolean): boolean {
		const gap = this.gap * (wasProbe && !this.tests ? PROBE_FACTOR : 1);
		return this.accepted >= gap && !this.isDoubted;
	}

	/** The test was accepted. */
	confirm(): void {
		this.tests += 1;
		if (this.isBelieved) this.accepted = 0;
	}

	/** The test was refused, or too much since it is believed. */
	reject(): void {
		this.gap = this.isProven ? FIRST_GAP : Math.min(LONGEST_GAP, this.gap * 2);
		this.tests = this.accepted = 0;
	}
}
