import { Aimd, ConcurrencyLimit } from './concurrencyLimit';
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

/** A request that is under way for so long counts as accepted: a gateway refuses at once. Without it, p90 is 1.66 instead of 1.19. */
const ACCEPTED_AFTER_MS = 150;

interface Attempt {
	startedAt: number;
	request: WindowRequest;
	/** One more at once than is known. */
	isTrial: boolean;
	test?: 'places' | 'random';
}

/** A refusal whose reason is not known yet. */
interface Refusal {
	at: number;
	testAt: number;
	/** Accepted at once when it was refused. */
	level: number;
	/** A request has ended since. */
	isPlaceFree: boolean;
	isTesting: boolean;
}

/**
 * Tells limits per time, limits at once and random refusals apart. A refusal closes the window. A test
 * then shows whether a request is accepted though no time has passed: because a place is free, or at random.
 */
export class LearnedLimit implements Limit {
	private readonly window = new WindowLimit();
	private readonly places = new ConcurrencyLimit();
	/** Plain AIMD, where refusals seem to come at random, and since when. */
	private fallback: { aimd: Aimd; startedAt: number } | undefined;
	private readonly active = new Set<Attempt>();
	/** Those of them that do not count as accepted yet; the oldest first. */
	private readonly unanswered = new Set<Attempt>();
	/** Accepted requests that ended while a request without an answer may have been under way. */
	private answered: { startedAt: number; endedAt: number }[] = [];
	private refusal: Refusal | undefined;
	private readonly randomTests = new Backoff();

	opensAt(lane: Lane, now: number): number {
		if (this.fallback) return this.fallback.aimd.opensAt(lane, now);
		this.acceptOld(now);
		if (this.dueTest(now)) return now;
		const windowAt = this.places.isOpen ? this.window.opensAt(now) : Infinity;
		if (windowAt <= now) return now;
		const { isTesting = true, testAt = 0 } = this.refusal ?? {};
		const [oldest] = this.unanswered;
		return Math.min(
			windowAt,
			!isTesting && testAt > now ? testAt : Infinity,
			oldest ? oldest.startedAt + ACCEPTED_AFTER_MS : Infinity,
		);
	}

	start(_lane: Lane, now: number): EndAttempt {
		if (this.fallback) return this.startFallback(this.fallback);
		const test = this.dueTest(now);
		if (test === 'random') this.randomTests.delay();
		if (this.refusal) {
			this.refusal.isPlaceFree = false;
			this.refusal.isTesting ||= test !== undefined;
		}
		const request = test ? this.window.startTest(now) : this.window.start(now);
		const isTrial = this.places.start() && !test;
		const attempt: Attempt = { startedAt: now, request, isTrial, test };
		this.unanswered.add(attempt);
		this.active.add(attempt);
		return (outcome, endedAt) => this.end(attempt, outcome, endedAt);
	}

	private startFallback(fallback: { aimd: Aimd; startedAt: number }): EndAttempt {
		const { aimd, startedAt } = fallback;
		const end = aimd.start();
		return (outcome, now) => {
			end(outcome, now);
			const { accepted, refused } = aimd;
			if (fallback !== this.fallback || accepted + refused < FEW_REQUESTS) return;
			const { rate } = this.window.estimate;
			if (accepted >= (rate === undefined ? refused : rate * (now - startedAt))) return;
			this.fallback = undefined;
			this.window.restart();
		};
	}

	private fallBack(startedAt: number): void {
		this.fallback = { aimd: new Aimd(), startedAt };
		this.refusal = undefined;
	}

	private end(attempt: Attempt, outcome: Outcome, now: number): void {
		if (!this.fallback) this.acceptOld(now);
		this.active.delete(attempt);
		this.unanswered.delete(attempt);
		this.places.end();
		if (this.fallback) return;
		if (isRefusal(outcome)) this.refuse(attempt, now);
		else {
			if (this.refusal) this.refusal.isPlaceFree = true;
			this.answered = this.answered.filter(({ endedAt }) => endedAt > now - ACCEPTED_AFTER_MS);
			this.answered.push({ startedAt: attempt.startedAt, endedAt: now });
			this.accept(attempt, now);
		}
		if (this.window.estimate.isUseless) this.fallBack(now);
	}

	private acceptOld(now: number): void {
		for (const attempt of this.unanswered) {
			if (attempt.startedAt + ACCEPTED_AFTER_MS > now) return;
			this.unanswered.delete(attempt);
			this.accept(attempt, now);
		}
	}

	private accept(attempt: Attempt, now: number): void {
		if (attempt.request.isAccepted) return;
		this.randomTests.accept();
		this.window.accept(attempt.request);
		this.places.accept(attempt.isTrial);
		const { refusal } = this;
		// Once time has passed as well, a free place shows nothing.
		if (!this.window.isExhausted) this.refusal = undefined;
		if (!attempt.test || !refusal) return;
		if (attempt.test === 'random') return this.fallBack(now);
		this.places.learn(refusal.level);
		this.window.reopen(attempt.request, refusal.level);
		this.refusal = undefined;
	}

	private refuse({ startedAt, request, isTrial, test }: Attempt, now: number): void {
		if (test) return this.failTest(test, now);
		if (isTrial) return this.window.ignore(request);
		this.window.refuse(request, now);
		const { refusal } = this;
		if (refusal && startedAt <= refusal.at) refusal.level -= 1;
		if (refusal) return;
		// At once with it: those that had begun before and ended after it began.
		const wasBefore = (other: { startedAt: number }) => other.startedAt <= startedAt;
		const ended = this.answered.filter(
			(other) => wasBefore(other) && other.endedAt > startedAt,
		).length;
		this.refusal = {
			at: now,
			// All that were under way with it are answered a round trip later.
			testAt: now + (now - startedAt),
			level: [...this.active].filter(wasBefore).length + ended,
			isPlaceFree: ended > 0,
			isTesting: false,
		};
	}

	private failTest(test: 'places' | 'random', now: number): void {
		const { refusal } = this;
		if (!refusal) return;
		refusal.isTesting = false;
		refusal.testAt = now;
		if (test === 'random') return;
		this.places.reject();
		this.refusal = undefined;
	}

	/** The test that is due. */
	private dueTest(now: number): 'places' | 'random' | undefined {
		const { refusal } = this;
		if (!refusal || refusal.isTesting || now < refusal.testAt) return undefined;
		if (!this.window.isExhausted) return undefined;
		if (refusal.isPlaceFree && refusal.level > 0 && this.places.isTestDue) return 'places';
		return this.randomTests.isDue ? 'random' : undefined;
	}
}
