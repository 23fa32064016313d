import { Aimd } from './aimd';
import {
	Backoff,
	FEW_REQUESTS,
	isRefusal,
	type EndAttempt,
	type Lane,
	type Limit,
	type Outcome,
} from './limit';
import { WindowLimit, type WindowRequest } from './windowLimit';

/** A request under way for so long counts as accepted: a gateway refuses at once. Without it, p90 is 1.66, not 1.19. */
const ACCEPTED_AFTER_MS = 150;

/**
 * Accepted requests before the first trial of one more at once. With 16 or 100, a rising limit takes 1.6
 * times AIMD.
 */
const FIRST_TRIAL_GAP = 50;

/**
 * Requests that may be refused, and show something when they are not:
 * - `places`: one in the place of a request that has ended since a refusal. Requests at once are limited.
 * - `random`: one although no place is free and no time has passed. Refusals come at random.
 * - `more`: one more at once than is known. The limit at once has risen.
 */
type Test = 'places' | 'random' | 'more';

/** Plain AIMD, where nothing can be learned. */
interface Fallback {
	readonly aimd: Aimd;
	readonly startedAt: number;
}

interface Attempt {
	readonly startedAt: number;
	endedAt: number;
	isAccepted: boolean;
	/** Undefined for a test that is in no window yet. */
	readonly request?: WindowRequest;
	readonly test?: Test;
}

/**
 * Tells limits per time, limits at once and random refusals apart. A refusal closes the window. A test then
 * shows whether a request is accepted though no time has passed.
 */
export class LearnedLimit implements Limit {
	private readonly window = new WindowLimit();
	/** So many at once are known to be accepted. */
	private mostActive = Infinity;
	private active = 0;
	/** Under way or ended lately, and not refused. The oldest first. */
	private attempts: Attempt[] = [];
	/** When the request was sent whose refusal is not explained yet. */
	private refusedAt: number | undefined;
	private isTesting = false;
	private readonly tests: Record<Test, Backoff> = {
		places: new Backoff(),
		random: new Backoff(),
		more: new Backoff(FIRST_TRIAL_GAP),
	};
	private fallback: Fallback | undefined;

	opensAt(lane: Lane, now: number): number {
		if (this.fallback) return this.fallback.aimd.opensAt(lane, now);
		this.acceptOld(now);
		if (this.dueTest(now)) return now;
		const windowAt = this.active < this.mostActive ? this.window.opensAt(now) : Infinity;
		const oldest = this.attempts.find(({ isAccepted }) => !isAccepted);
		return Math.min(windowAt, oldest ? oldest.startedAt + ACCEPTED_AFTER_MS : Infinity);
	}

	start(lane: Lane, now: number): EndAttempt {
		const { fallback } = this;
		if (fallback) return this.watchFallback(fallback, fallback.aimd.start(lane, now));
		const test = this.dueTest(now);
		if (test) this.tests[test].delay();
		const isOutside = test === 'places' || test === 'random';
		this.isTesting ||= isOutside;
		const request = isOutside ? undefined : this.window.start(now);
		const attempt = { startedAt: now, endedAt: Infinity, isAccepted: false, request, test };
		const since = Math.min(now - ACCEPTED_AFTER_MS, this.refusedAt ?? now);
		this.attempts = this.attempts.filter(({ endedAt }) => endedAt > since);
		this.attempts.push(attempt);
		this.active += 1;
		return (outcome, endedAt) => this.end(attempt, outcome, endedAt);
	}

	private watchFallback(fallback: Fallback, end: EndAttempt): EndAttempt {
		const { aimd, startedAt } = fallback;
		return (outcome, now) => {
			end(outcome, now);
			const { accepted, refused } = aimd;
			if (fallback !== this.fallback || accepted + refused < FEW_REQUESTS) return;
			const { rate = 0 } = this.window;
			// A refused request costs half of an accepted one: AIMD at a token bucket is as fast as what was
			// learned.
			if (accepted - refused / 2 >= rate * (now - startedAt)) return;
			this.fallback = undefined;
			this.window.restart();
		};
	}

	private fallBack(startedAt: number): void {
		const window = Math.max(1, this.countAccepted(this.refusedAt ?? startedAt));
		this.fallback = { aimd: new Aimd(window), startedAt };
		this.explain();
	}

	/** The reason of the refusal is known, or does not matter any more. */
	private explain(): void {
		this.refusedAt = undefined;
		this.isTesting = false;
	}

	private end(attempt: Attempt, outcome: Outcome, now: number): void {
		this.active -= 1;
		attempt.endedAt = now;
		if (this.fallback) return;
		this.acceptOld(now);
		if (isRefusal(outcome)) this.refuse(attempt, now);
		else this.accept(attempt, now);
		if (this.window.isUseless) this.fallBack(now);
	}

	private acceptOld(now: number): void {
		for (const attempt of this.attempts) {
			if (attempt.startedAt + ACCEPTED_AFTER_MS > now) return;
			this.accept(attempt, now);
		}
	}

	private accept(attempt: Attempt, now: number): void {
		if (attempt.isAccepted) return;
		attempt.isAccepted = true;
		const { startedAt, request, test } = attempt;
		for (const backoff of Object.values(this.tests)) backoff.accept();
		if (request) this.window.accept(request);
		if (test === 'more') this.learnPlaces(this.mostActive + 1);
		// Once time has passed, a test shows nothing.
		if (!this.window.isExhausted) this.explain();
		if (this.refusedAt === undefined) return;
		if (test === 'random') return this.fallBack(now);
		if (test !== 'places') return;
		this.learnPlaces(this.countAccepted(this.refusedAt));
		this.tests.more.delay();
		this.window.reopen(startedAt, this.mostActive);
		this.explain();
	}

	private refuse(attempt: Attempt, now: number): void {
		const { startedAt, request, test } = attempt;
		this.attempts = this.attempts.filter((other) => other !== attempt);
		if (test === 'places') this.explain();
		else if (test === 'random') this.isTesting = false;
		else if (test === 'more') this.window.ignore(request!);
		else if (this.window.refuse(request!, now)) this.refusedAt ??= startedAt;
	}

	private learnPlaces(most: number): void {
		this.mostActive = Math.max(1, most);
		// Answers overtake each other, so the number may be a little wrong. What tests it is due.
		this.tests.places.reset();
		this.tests.more.reset();
	}

	private countAccepted(at: number): number {
		return this.attempts.filter(({ startedAt, endedAt }) => startedAt <= at && endedAt > at).length;
	}

	private dueTest(now: number): Test | undefined {
		const { refusedAt, active, mostActive, tests } = this;
		if (active === mostActive && tests.more.isDue && this.window.opensAt(now) <= now) return 'more';
		const isUnknown = this.window.isExhausted && this.window.rate === undefined;
		if (refusedAt === undefined || this.isTesting || !isUnknown) return undefined;
		if (tests.places.isDue && active < this.countAccepted(refusedAt)) return 'places';
		return tests.random.isDue ? 'random' : undefined;
	}
}
