import { TrialSchedule, type Trial } from './trialSchedule';
import { nextUsualLength } from './usualLengths';

/** A length is known well enough when its bounds are this close together. */
const PRECISION = 0.06;
/** Share of a known length that is waited more after a probe came too early. */
const STEP = 0.05;
/** After so many of those in a row the length is not known any more. */
const MOST_EARLY_PROBES = 3;
/** Where a shorter window held only by chance, the next one is so many times as long. */
const RETREAT = 1.25;
/** A length that was too short need not be so for ever: it counts as so much shorter after many windows. */
const FORGET = 0.8;
/** Share of the quota that is tried in addition. */
const GROWTH = 0.05;
/** A trial has to bring so much to be worth it. */
const WORTHWHILE = 1.05;
/** Windows after which a single refusal is forgiven. */
const FORGIVEN = 24;
/** A length that has grown so much since it was found has grown by coincidences. */
const SUSPICIOUS = 1.5;
/** Windows after which what a trial brought is believed. */
const PROOF = 3;
/** How many requests go out in the next window, and how long after the last one it opens. */
export interface Plan {
	readonly quota: number;
	/** Milliseconds from the opening of one window to the opening of the next; undefined: find out. */
	readonly lengthMs: number | undefined;
	/** What it is to show: that the window may be shorter or hold more. */
	readonly trial?: Trial;
}

/** What was known before a trial that is not proven yet. */
interface Unproven {
	quota: number;
	lengthMs: number;
	trial: Trial;
}

/**
 * What is known of the rate that a gateway takes: so many requests in each window of so many
 * milliseconds. From time to time a plan asks for a little more; what that brought decides when the
 * next one does.
 */
export class RateEstimate {
	quota = 1;
	private lengthMs: number | undefined;
	/** Too short, for this quota. */
	private tooShortMs = 0;
	/** Held before any trial: a shorter one may hold by chance where the clock sets the windows. */
	private safeMs = 0;
	/** It was found by probing at usual lengths, so the next usual one is as likely. */
	private isUsual = false;
	private trials = new TrialSchedule();
	/** Windows that held as they are known now. */
	private proven = 0;
	private before: Unproven | undefined;
	/** It was refused again before it was proven again. */
	private isDoubted = false;
	/** The length that was found, or held for long. */
	private triedMs = Infinity;
	private growth = 0;
	private earlyProbes = 0;
	/** The gateway has just named a much longer time than is known. */
	private isSurprised = false;

	copy(): RateEstimate {
		return Object.assign(new RateEstimate(), this, { trials: this.trials.copy() });
	}

	get plan(): Plan {
		const { quota, lengthMs, trials } = this;
		if (lengthMs === undefined) return { quota, lengthMs };
		if (lengthMs - this.tooShortMs > lengthMs * PRECISION && trials.isDue('shorter'))
			return { quota, lengthMs: (lengthMs + this.tooShortMs) / 2, trial: 'shorter' };
		if (!trials.isDue('larger')) return { quota, lengthMs };
		const more = Math.min(quota, Math.max(1, Math.floor(quota * GROWTH)) * 2 ** this.growth);
		return { quota: quota + more, lengthMs, trial: 'larger' };
	}

	/** The age of the next probe after one at this age came too early. */
	next(age: number): number {
		const { lengthMs } = this;
		if (lengthMs !== undefined && age < lengthMs * 0.99) return lengthMs;
		if (lengthMs !== undefined) return age * (1 + STEP * 2 ** this.earlyProbes);
		return nextUsualLength(age);
	}

	/** The first request of a window was accepted, so the one before it is over at this age. */
	open({ trial }: Plan, age: number): void {
		const wasTooShort = this.earlyProbes > 0;
		this.earlyProbes = 0;
		if (trial === 'shorter') return;
		if (this.lengthMs === undefined) {
			this.lengthMs = this.safeMs = this.triedMs = age;
			this.isUsual = true;
		} else if (wasTooShort && age > this.lengthMs && this.isDoubted) {
			this.lengthMs = age;
			this.safeMs = Math.max(this.safeMs, age);
		}
		this.tooShortMs = Math.min(this.tooShortMs, this.lengthMs);
		if (this.lengthMs > this.triedMs * SUSPICIOUS) {
			this.trials.renew('shorter');
			[this.tooShortMs, this.triedMs] = [0, this.lengthMs];
		}
	}

	/** The first request of a window was refused at this age of the one before. */
	openedEarly({ trial }: Plan, age: number): void {
		const { lengthMs } = this;
		this.tooShortMs = Math.max(this.tooShortMs, age);
		if (lengthMs === undefined) return;
		this.trials.restart();
		if (trial !== 'shorter') this.doubt();
		if (trial === 'shorter') this.fail('shorter');
		else if (!this.isDoubted) this.earlyProbes += 1;
		else if (this.isUsual) this.lengthMs = undefined;
		else if (this.safeMs > lengthMs * (1 + PRECISION)) {
			this.lengthMs = Math.min(this.safeMs, age * RETREAT);
			this.fail('shorter');
		} else if (this.earlyProbes === MOST_EARLY_PROBES) {
			this.lengthMs = undefined;
			this.earlyProbes = 0;
		} else this.earlyProbes += 1;
	}

	/** The whole quota was accepted. */
	hold({ quota, lengthMs, trial }: Plan): void {
		this.trials.hold();
		this.isSurprised = false;
		if (!trial) {
			this.proven += 1;
			if (this.proven >= PROOF) [this.before, this.isDoubted] = [undefined, false];
			if (this.proven >= FORGIVEN) this.triedMs = this.lengthMs!;
			return;
		}
		this.before ??= { quota: this.quota, lengthMs: this.lengthMs!, trial };
		this.proven = 0;
		this.trials.succeed(trial, this.quota);
		this.isUsual = false;
		if (trial === 'shorter') this.lengthMs = lengthMs;
		else [this.quota, this.growth] = [quota, this.growth + 1];
	}

	/**
	 * Only so many of the quota were accepted. `perMs` is the rate since the gateway refused before,
	 * undefined when it never did.
	 */
	exhaust({ lengthMs, trial }: Plan, accepted: number, perMs: number | undefined): void {
		const isSame = Math.abs(accepted - this.quota) <= Math.max(1, this.quota * GROWTH);
		if (trial) {
			this.fail(trial);
			const rate = this.quota / this.lengthMs!;
			const isBetter = trial === 'shorter' && accepted / lengthMs! > rate * WORTHWHILE;
			if (!isBetter)
				this.tooShortMs = Math.max(this.tooShortMs, trial === 'shorter' ? lengthMs! : 0);
			else [this.quota, this.lengthMs, this.tooShortMs] = [accepted, lengthMs, 0];
			return;
		}
		this.trials.restart();
		if (this.before) {
			this.revert(this.before);
			return;
		}
		const wasProven = this.proven >= PROOF;
		this.doubt();
		if (!this.isDoubted) return;
		if (wasProven && this.lengthMs !== undefined) {
			// A little too short shows only after a while.
			this.tooShortMs = Math.max(this.tooShortMs, this.lengthMs);
			this.lengthMs *= 1 + STEP;
			return;
		}
		if (this.lengthMs !== undefined && this.safeMs > this.lengthMs * (1 + PRECISION)) {
			this.tooShortMs = Math.max(this.tooShortMs, this.lengthMs);
			this.lengthMs = this.safeMs;
			return;
		}
		if (perMs !== undefined && !isSame) {
			this.lengthMs = this.safeMs = this.triedMs = accepted / perMs;
			this.isUsual = false;
			this.tooShortMs = 0;
		}
		this.quota = accepted;
	}

	/** The gateway names the length, `roundedMs` too much at most. */
	name(lengthMs: number, roundedMs: number): void {
		// A window that took some of the next one's quota is over later than the others, once.
		if (this.lengthMs !== undefined && lengthMs > this.lengthMs * 1.5 && !this.isSurprised) {
			this.isSurprised = true;
			return;
		}
		// One that was proven is not given up for a single refusal.
		const isLonger = this.lengthMs !== undefined && lengthMs > this.lengthMs * (1 + PRECISION);
		if (isLonger && !this.isDoubted) return;
		if (isLonger) this.trials.renew('shorter');
		// What is known more precisely than the gateway names it stays.
		const isPossible = (ms = 0) => ms > lengthMs - roundedMs && ms < lengthMs;
		const known = [this.lengthMs, this.safeMs].find(isPossible);
		this.lengthMs = known ?? lengthMs;
		if (!isPossible(this.safeMs)) this.safeMs = lengthMs;
		this.isUsual = false;
		this.earlyProbes = 0;
		this.tooShortMs = Math.max(Math.min(this.tooShortMs, this.lengthMs), lengthMs - roundedMs, 0);
	}

	/** What the gateway names is wrong. */
	forgetName(): void {
		this.lengthMs = undefined;
	}

	/** Once is a coincidence, where a window has been proven. */
	private doubt(): void {
		if (this.proven < FORGIVEN) this.isDoubted = true;
		this.proven = 0;
	}

	/** What a trial brought held only by chance. */
	private revert({ quota, lengthMs, trial }: Unproven): void {
		if (trial === 'shorter') this.tooShortMs = Math.max(this.tooShortMs, this.lengthMs!);
		[this.quota, this.lengthMs] = [quota, lengthMs];
		this.before = undefined;
		this.fail(trial);
	}

	private fail(trial: Trial): void {
		this.growth = 0;
		if (this.trials.isRare(trial)) this.tooShortMs *= FORGET;
		this.trials.fail(trial);
	}
}
