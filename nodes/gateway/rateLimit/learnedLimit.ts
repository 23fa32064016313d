import { Aimd } from './aimd';
import { ConcurrencyLimit } from './concurrencyLimit';
import { isRefusal, type EndAttempt, type Lane, type Limit, type Outcome } from './limit';
import { WindowLimit, type WindowRequest } from './windowLimit';

/** A request that is under way for so long counts as accepted: a gateway refuses at once. */
const ACCEPTED_AFTER_MS = 150;
/** All that were under way at a refusal are answered a round trip later, and a little more. */
const SETTLE_MS = 10;
/** A test right after a refusal costs one, and gives back two when it is accepted; some accepted requests pay for one. */
const MOST_CREDIT = 3;
const REQUESTS_PER_CREDIT = 100;
/** A longer Retry-After is not tested at once, but after some seconds. */
const LONG_MS = 10_000;
const TEST_LONG_AFTER_MS = 3_000;

/** Above this share of windows that took less than was known, nothing is learned. */
const MOST_MISSES = 0.3;
/** AIMD must be so much faster than what was learned, or refused less than half the time, after so many attempts. */
const WORTHWHILE = 1.5;
const FEW_ATTEMPTS = 16;

/** Plain AIMD, for refusals that seem to come by chance. */
class Fallback extends Aimd {
	private accepted = 0;
	private refused = 0;

	/** `rate`: requests per millisecond that were learned. */
	constructor(
		private readonly startedAt: number,
		private readonly rate: number | undefined,
	) {
		super();
	}

	isWorse(now: number): boolean {
		const { accepted, refused, rate, startedAt } = this;
		if (accepted + refused < FEW_ATTEMPTS) return false;
		if (rate === undefined) return refused > accepted;
		return accepted < WORTHWHILE * rate * (now - startedAt);
	}

	override start(): EndAttempt {
		const end = super.start();
		return (outcome, now) => {
			if (isRefusal(outcome)) this.refused += 1;
			else this.accepted += 1;
			end(outcome, now);
		};
	}
}

/** Accepted requests that are remembered, to count how many were under way beside a refused one. */
const MOST_ANSWERED = 100;

interface Attempt {
	startedAt: number;
	request: WindowRequest;
	isTrial: boolean;
	test?: 'places' | 'random';
	isAccepted: boolean;
}

/** What a refusal may mean, until a test tells. */
interface Suspicion {
	refusedAt: number;
	testAt: number;
	/** Accepted at once when it was refused. */
	level: number;
	/** A request has ended since. */
	isPlaceFree: boolean;
	isTesting: boolean;
	failedTests: number;
}

/**
 * Tells limits per time, limits at once and chance apart. A refusal closes the window; a test then shows
 * whether a request is accepted though no time has passed: because a place is free, or by chance.
 */
export class LearnedLimit implements Limit {
	private window = new WindowLimit();
	private places = new ConcurrencyLimit();
	private fallback: Fallback | undefined;
	private rttMs = 0;
	private readonly active = new Set<Attempt>();
	/** The last accepted requests. */
	private readonly answered: { startedAt: number; endedAt: number }[] = [];
	/** Under way, and not yet counted as accepted; the oldest first. */
	private readonly unanswered = new Set<Attempt>();
	private suspicion: Suspicion | undefined;
	private credit = MOST_CREDIT;

	opensAt(lane: Lane, now: number): number {
		if (this.fallback) return this.fallback.opensAt(lane, now);
		this.acceptOld(now);
		const test = this.testOf(now);
		if (test) return now;
		const hasPlace = this.window.isClosed ? this.places.hasRoom : this.places.isOpen;
		const windowAt = hasPlace ? this.window.opensAt(now) : Infinity;
		const testAt = this.suspicion && !this.suspicion.isTesting ? this.suspicion.testAt : Infinity;
		const [oldest] = this.unanswered;
		const acceptedAt = oldest ? oldest.startedAt + ACCEPTED_AFTER_MS : Infinity;
		if (windowAt <= now) return now;
		return Math.min(windowAt, testAt > now ? testAt : Infinity, acceptedAt);
	}

	start(_lane: Lane, now: number): EndAttempt {
		if (this.fallback) {
			const { fallback } = this;
			const end = fallback.start();
			return (outcome, endedAt) => {
				end(outcome, endedAt);
				if (fallback === this.fallback && fallback.isWorse(endedAt)) this.relearn();
			};
		}
		const test = this.testOf(now);
		if (test) {
			this.suspicion!.isTesting = true;
			if (test === 'random') this.credit -= 1;
		}
		if (this.suspicion) this.suspicion.isPlaceFree = false;
		const request = test ? this.window.startTest(now) : this.window.start(now);
		const isTrial = this.places.start();
		const attempt: Attempt = { startedAt: now, request, isTrial, test, isAccepted: false };
		this.unanswered.add(attempt);
		this.active.add(attempt);
		return (outcome, endedAt) => this.end(attempt, outcome, endedAt);
	}

	private fallBack(now: number): void {
		this.fallback = new Fallback(now, this.window.rate);
		this.suspicion = undefined;
	}

	private relearn(): void {
		this.fallback = undefined;
		this.window.restart();
	}

	private end(attempt: Attempt, outcome: Outcome, now: number): void {
		this.active.delete(attempt);
		if (this.fallback) {
			this.unanswered.delete(attempt);
			return this.places.end();
		}
		this.acceptOld(now);
		this.unanswered.delete(attempt);
		this.places.end();
		if (isRefusal(outcome)) this.refuse(attempt, now, outcome.retryAfterMs);
		else {
			if (this.suspicion) this.suspicion.isPlaceFree = true;
			this.answered.push({ startedAt: attempt.startedAt, endedAt: now });
			if (this.answered.length > MOST_ANSWERED) this.answered.shift();
			this.accept(attempt, now);
		}
		if (this.window.missShare > MOST_MISSES && !this.fallback) this.fallBack(now);
	}

	private acceptOld(now: number): void {
		for (const attempt of this.unanswered) {
			if (attempt.startedAt + ACCEPTED_AFTER_MS > now) return;
			this.unanswered.delete(attempt);
			this.accept(attempt, now);
		}
	}

	private accept(attempt: Attempt, now: number): void {
		if (attempt.isAccepted) return;
		attempt.isAccepted = true;
		this.credit = Math.min(MOST_CREDIT, this.credit + 1 / REQUESTS_PER_CREDIT);
		this.window.accept(attempt.request);
		this.places.accept(attempt.isTrial);
		const { suspicion } = this;
		// Once time has passed as well, a free place shows nothing.
		if (!this.window.isExhausted) this.suspicion = undefined;
		if (!attempt.test || !suspicion) return;
		if (attempt.test === 'random') return this.fallBack(now);
		this.places.learn(suspicion.level);
		this.window.reopen(attempt.request, suspicion.level);
		this.suspicion = undefined;
	}

	private refuse(attempt: Attempt, now: number, retryAfterMs: number | undefined): void {
		const { suspicion } = this;
		if (attempt.isTrial && !attempt.test) {
			this.places.failTrial();
			this.window.ignore(attempt.request);
			return;
		}
		if (attempt.test) {
			if (!suspicion) return;
			suspicion.isTesting = false;
			suspicion.testAt = now + SETTLE_MS;
			if (attempt.test === 'random') return;
			// The count may be one too high.
			suspicion.level -= 1;
			suspicion.failedTests += 1;
			if (suspicion.failedTests < 2 && suspicion.level > 0) return;
			this.places.reject();
			this.suspicion = undefined;
			return;
		}
		const wasProbe = this.window.isProbe(attempt.request);
		this.window.refuse(attempt.request, now);
		if (suspicion) {
			if (attempt.startedAt <= suspicion.refusedAt) suspicion.level -= 1;
			return;
		}
		if (wasProbe) return;
		// At once with it: those that had begun before and ended after it began.
		const wasBefore = ({ startedAt }: { startedAt: number }) => startedAt <= attempt.startedAt;
		const ended = this.answered.filter(
			(other) => wasBefore(other) && other.endedAt > attempt.startedAt,
		).length;
		this.rttMs = Math.max(now - attempt.startedAt, 0.9 * this.rttMs);
		const isLong = (retryAfterMs ?? 0) > LONG_MS;
		this.suspicion = {
			refusedAt: now,
			testAt: now + (isLong ? TEST_LONG_AFTER_MS : this.rttMs + SETTLE_MS),
			level: [...this.active].filter(wasBefore).length + ended,
			isPlaceFree: ended > 0,
			isTesting: false,
			failedTests: 0,
		};
	}

	/** The test that is due. */
	private testOf(now: number): 'places' | 'random' | undefined {
		const { suspicion } = this;
		if (!suspicion || suspicion.isTesting || now < suspicion.testAt) return undefined;
		if (!this.window.isExhausted) return undefined;
		if (suspicion.isPlaceFree && suspicion.level > 0 && this.places.isTestDue) return 'places';
		const mayBeRandom = !suspicion.isPlaceFree || this.places.most < Infinity;
		return mayBeRandom && this.credit >= 1 ? 'random' : undefined;
	}
}
