import { Aimd } from './aimd';
import { Backoff, FEW_REQUESTS, isRefusal, STALLED_MS, type EndAttempt, type Limit } from './limit';
import { WindowLimit, type WindowRequest } from './windowLimit';
import { PROOF } from './windowTrials';

/**
 * A request under way for so long counts as accepted, since most gateways refuse at once. Tests and probes may wait
 * longer. Without it, p90 is over 6.
 */
const ACCEPTED_AFTER_MS = 150;

/** A gateway may count a request for a moment after its response. Without it, calls take twice the time there. */
const LAG_MS = 10;

/** Accepted requests before the first test of one more at once. With 50, a rough network has 6.6 % refused, not 5 %. */
const MORE_GAP = 200;

/**
 * Requests that may be refused, and show something when they are not:
 * - `places`: one in the place of a request that has ended since a refusal. Requests at once are limited.
 * - `random`: one although no place is free and no time has passed. Refusals come at random.
 * - `more`: one more at once than is known. The limit at once has risen.
 */
type Test = 'places' | 'random' | 'more';

interface LimitedRequest extends WindowRequest {
	endedAt: number;
	readonly test?: Test;
	/** Without an answer until then, it counts as accepted. */
	readonly acceptedAt: number;
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
	/** How often places were learned since a test of one more was last refused, which proves them. */
	private placesLearned = 0;
	/**
	 * For tests and probes: twice the time of the last refusal. Without, refusals that take 300 ms are as many as the
	 * accepted requests, not a quarter.
	 */
	private testMs = ACCEPTED_AFTER_MS;
	/** Under way or ended lately, and not refused. The oldest first. */
	private attempts: LimitedRequest[] = [];
	/** Its refusal is not explained yet. */
	private refused: LimitedRequest | undefined;
	/** A request keeps its place for so long after its response: 0 until a test is refused. */
	private lagMs = 0;
	private isTesting = false;
	private readonly tests: Record<Test, Backoff> = {
		places: new Backoff(),
		random: new Backoff(),
		more: new Backoff(MORE_GAP),
	};
	/** Where nothing can be learned. */
	private aimd: Aimd | undefined;

	opensAt(now: number, clients: number): number {
		if (this.aimd) return this.aimd.opensAt(now);
		this.acceptOld(now);
		if (this.dueTest(now)) return now;
		const leaving = this.findLeaving(now);
		const isFree = this.active + leaving.length < this.mostActive;
		const windowAt = isFree ? this.window.opensAt(now, clients) : Infinity;
		const unanswered = this.attempts.filter(({ isAccepted }) => !isAccepted);
		const acceptedAt = unanswered.map((attempt) => attempt.acceptedAt);
		const leftAt = leaving.map(({ endedAt }) => endedAt + this.lagMs);
		return Math.min(windowAt, ...acceptedAt, ...leftAt);
	}

	start(now: number, isAfterIdle: boolean): EndAttempt {
		if (this.aimd) return this.watch(this.aimd, this.aimd.start(now, isAfterIdle));
		const test = this.dueTest(now);
		if (test) this.tests[test].delay();
		const isOutside = test === 'places' || test === 'random';
		this.isTesting ||= isOutside;
		const isWatched = test !== undefined || this.window.isClosed;
		const acceptedAt = now + (isWatched ? this.testMs : ACCEPTED_AFTER_MS);
		const attempt: LimitedRequest = {
			startedAt: now,
			endedAt: Infinity,
			acceptedAt,
			isAccepted: false,
			test,
		};
		if (!isOutside) this.window.start(attempt, isAfterIdle);
		const since = Math.min(now - this.testMs, this.refused?.startedAt ?? now);
		this.attempts = this.attempts.filter(({ endedAt }) => endedAt > since);
		this.attempts.push(attempt);
		this.active += 1;
		return (status, endedAt) => this.end(attempt, status, endedAt);
	}

	private watch(aimd: Aimd, end: EndAttempt): EndAttempt {
		return (status, now) => {
			end(status, now);
			const { accepted, refused, beganAt } = aimd;
			if (aimd !== this.aimd || accepted + refused < FEW_REQUESTS) return;
			// A refused request costs half an accepted one: AIMD at a token bucket is as fast as what was learned.
			if (accepted - refused / 2 >= (this.window.rate ?? 0) * (now - beganAt)) return;
			this.aimd = undefined;
			this.window.restart();
		};
	}

	private fallBack(now: number): void {
		const window = this.refused ? this.countPlaces(this.refused) : this.active;
		this.aimd = new Aimd(Math.max(1, window), now);
		this.explain();
	}

	/** The reason of the refusal is known, or does not matter any more. */
	private explain(): void {
		this.refused = undefined;
		this.isTesting = false;
	}

	private end(attempt: LimitedRequest, status: number | undefined, now: number): void {
		this.active -= 1;
		attempt.endedAt = now;
		if (this.aimd) return;
		this.acceptOld(now);
		if (isRefusal(status)) this.refuse(attempt, now);
		else this.accept(attempt, now);
		if (this.window.isUseless) this.fallBack(now);
	}

	private acceptOld(now: number): void {
		for (const attempt of this.attempts) if (attempt.acceptedAt <= now) this.accept(attempt, now);
	}

	private accept(attempt: LimitedRequest, now: number): void {
		if (attempt.isAccepted) return;
		attempt.isAccepted = true;
		for (const backoff of Object.values(this.tests)) backoff.accept();
		this.window.accept(attempt);
		if (attempt.test === 'more') this.learnPlaces(this.mostActive + 1);
		// Once time has passed, a test shows nothing.
		if (!this.window.isExhausted) this.explain();
		if (!this.refused) return;
		if (attempt.test === 'random') return this.fallBack(now);
		if (attempt.test !== 'places') return;
		// Refusals by chance make the limit at once seem ever lower. Without, 1 % of them take up to 24 times AIMD, not 11.
		if (++this.placesLearned > PROOF) return this.fallBack(now);
		this.learnPlaces(this.countPlaces(this.refused));
		this.tests.more.delay();
		this.window.reopen(attempt);
		this.explain();
	}

	private refuse(attempt: LimitedRequest, now: number): void {
		const { test } = attempt;
		this.attempts = this.attempts.filter((other) => other !== attempt);
		const testMs = 2 * (now - attempt.startedAt);
		// A slower one is a failure rather than a limit. With it, windows of 1 s take up to 2.1 times as long.
		if (testMs <= STALLED_MS) this.testMs = Math.max(ACCEPTED_AFTER_MS, testMs);
		if (test === 'places') this.refusePlaces();
		else if (test === 'random') this.isTesting = false;
		else if (test === 'more') {
			this.placesLearned = 0;
			this.window.ignore(attempt);
		} else if (this.window.refuse(attempt, now)) this.refused ??= attempt;
	}

	private learnPlaces(most: number): void {
		this.mostActive = Math.max(1, most);
		// Answers overtake each other, so the number may be a little wrong. What tests it is due.
		this.tests.places.reset();
		this.tests.more.reset();
	}

	/** The next test waits until a place is free for certain. If it is refused too, places are not the reason. */
	private refusePlaces(): void {
		if (!this.refused) return;
		if (this.lagMs) this.explain();
		this.lagMs = this.lagMs ? 0 : LAG_MS;
		this.isTesting = false;
	}

	/** Places that others had when this request was refused. Until a test is refused, those that ended meanwhile count. */
	private countPlaces({ startedAt, endedAt }: LimitedRequest): number {
		const since = this.lagMs ? endedAt + this.lagMs : startedAt;
		const isTaken = (other: LimitedRequest) =>
			other.startedAt <= startedAt && other.endedAt > since;
		return this.attempts.filter(isTaken).length;
	}

	/** Requests that are answered, and may still have their places. */
	private findLeaving(now: number): LimitedRequest[] {
		return this.attempts.filter(({ endedAt }) => endedAt <= now && endedAt + this.lagMs > now);
	}

	private dueTest(now: number): Test | undefined {
		const { refused, active, mostActive, tests } = this;
		if (active === mostActive && tests.more.isDue && this.window.opensAt(now) <= now) return 'more';
		if (!refused || this.isTesting || !this.window.isDoubtful(now)) return undefined;
		const taken = active + this.findLeaving(now).length;
		const isPlacesDue = this.window.rate === undefined && (tests.places.isDue || this.lagMs > 0);
		if (isPlacesDue && taken < this.countPlaces(refused)) return 'places';
		// A request that has ended since then may have freed its place. Where none is left, no other test can follow.
		const hasLeft = this.attempts.some(
			(other) => other.endedAt > refused.startedAt && other.endedAt <= now,
		);
		return tests.random.isDue && !(active && hasLeft) ? 'random' : undefined;
	}
}
