import { RandomRefusals } from './randomRefusals';
import { ConcurrencyEstimate, type ActiveRequest, type RefusalReason } from './concurrencyEstimate';
import { RatePacer } from './ratePacer';
import type { PacedCall } from './rateWindow';

/** Requests that go out before the first of them is accepted, where many more wait. */
const RAMP_START = 5;
/** The share of the places that is taken at once when the test for them was accepted. */
const RESTART_SHARE = 0.4;
/** A gateway that names a longer time than this means it. */
const LONGEST_TEST_MS = 10_000;
/** The share of the requests under way that is refused by chance at most. */
const MOST_AT_RANDOM = 1 / 3;
/** Answers may come so much later than others. */
const TEST_DELAY_MS = 10;

/** A request that was let out, in all that learns from it. */
export interface LaneRequest {
	readonly startedAt: number;
	/** What learns from it. */
	readonly limits: RateLane;
	readonly paced: PacedCall;
	readonly inLane: ActiveRequest;
	readonly inAll: ActiveRequest;
	/** What it shows about the refusal before. */
	readonly test?: Test;
}

interface Test {
	readonly of: Suspicion;
	/** What explains the refusal if this request is accepted. */
	readonly reason: 'places' | 'random';
}

interface Explanation {
	limit: ConcurrencyEstimate;
	reason: RefusalReason;
}

/** What may explain a refusal beside a limit per time. */
interface Suspicion {
	/** What is known if it is true. */
	readonly pacer: RatePacer;
	/** May be a limit at once. */
	readonly limit?: ConcurrencyEstimate;
	/** May be chance, which is tested then. */
	randomTestAt?: number;
	/** Refusals that may come until then; more would not be chance. */
	refusalsLeft: number;
	isTesting: boolean;
}

/**
 * What the requests of one kind may do: how many go out per time, and how many at once. Submissions and
 * other requests may be limited apart, so each lane learns its own limits, beside the one of all.
 */
export class RateLane {
	hasBeenRefused = false;
	private pacer = new RatePacer(RAMP_START);
	private readonly concurrency = new ConcurrencyEstimate();
	private readonly random = new RandomRefusals();
	/** What was known of the pace before refusals were taken for chance. */
	private pacerBefore: RatePacer | undefined;
	private suspicion: Suspicion | undefined;

	/** `all` counts the requests of all lanes. */
	constructor(private readonly all: ConcurrencyEstimate) {}

	/** Lets out all that come, as long as none is refused. */
	endRamp(): void {
		this.pacer.endRamp();
	}

	/** `isNew`: the request was not refused before, so no time was named to it. */
	mayStart(now: number, isNew: boolean): boolean {
		if (!this.concurrency.mayStart(now)) return false;
		if (this.pacer.mayStart(now)) return true;
		const test = this.testDue(now);
		return !!test && (isNew || test.reason === 'places');
	}

	/** It is closed after a refusal. */
	get isClosed(): boolean {
		return this.pacer.isClosed;
	}

	/** When a request may begin that may not begin now; undefined when only an answer tells. */
	opensAt(now: number): number | undefined {
		return this.pacer.opensAt(now);
	}

	/** When a request may begin beside those that are paced: one more at once than known, or a test. */
	get trialAt(): number {
		return Math.min(this.concurrency.trialAt, this.suspicion?.randomTestAt ?? Infinity);
	}

	start(now: number): LaneRequest {
		const test = this.testDue(now);
		if (test) test.of.isTesting = true;
		return {
			startedAt: now,
			limits: this,
			paced: test ? this.pacer.startTrial(now) : this.pacer.start(now),
			inLane: this.concurrency.start(now),
			inAll: this.all.start(now),
			test,
		};
	}

	/** It was not refused, and will not be. */
	accept(request: LaneRequest, now: number): void {
		const { paced, inLane, inAll } = request;
		if (!paced.isConfirmed) this.random.accept();
		this.confirm(request);
		this.pacer.accept(paced, now);
		// Once time has passed as well, a free place shows nothing.
		if (!this.pacer.isClosed) this.dismiss();
		this.concurrency.accept(inLane);
		this.all.accept(inAll);
	}

	/** It was answered otherwise than by a refusal. */
	end({ inLane, inAll }: LaneRequest, now: number): void {
		this.concurrency.end(inLane, now);
		this.all.end(inAll, now);
	}

	/**
	 * It was refused as one too many; `retryAfterMs` where the gateway says when to come again. Whether
	 * that holds for this request only.
	 */
	refuse(request: LaneRequest, now: number, retryAfterMs?: number): boolean {
		this.hasBeenRefused = true;
		const isMeant = (retryAfterMs ?? 0) > LONGEST_TEST_MS;
		this.random.refuse();
		if (this.random.isBelieved && (isMeant || this.random.isDoubted)) this.disbelieve();
		if (this.random.isBelieved) {
			this.concurrency.drop(request.inLane);
			this.all.drop(request.inAll);
			this.pacer.ignore(request.paced, now);
			return true;
		}
		const { limit, reason } = this.explain(request, now);
		this.endTest(request, reason);
		if (reason === 'known' && !isMeant) this.pacer.ignore(request.paced, now);
		else {
			if (!isMeant) this.suspect(request, reason === 'suspected' ? limit : undefined, now);
			this.pacer.refuse(request.paced, now, retryAfterMs);
		}
		return false;
	}

	private suspect(
		{ startedAt }: LaneRequest,
		limit: ConcurrencyEstimate | undefined,
		now: number,
	): void {
		if (this.suspicion) {
			this.suspicion.refusalsLeft -= 1;
			if (this.suspicion.refusalsLeft < 0) delete this.suspicion.randomTestAt;
			return;
		}
		// Until then all that were under way are refused, if there is a limit.
		const randomTestAt = this.random.isTestDue(this.pacer.isProbing)
			? now + (now - startedAt) + TEST_DELAY_MS
			: undefined;
		if (!limit && randomTestAt === undefined) return;
		const refusalsLeft = Math.ceil(this.concurrency.unsettled * MOST_AT_RANDOM);
		const pacer = this.pacer.copy();
		this.suspicion = { limit, randomTestAt, refusalsLeft, pacer, isTesting: false };
	}

	/** The test was accepted, though no time had passed. */
	private confirm({ test, paced }: LaneRequest): void {
		if (!test || test.of !== this.suspicion) return;
		const { pacer, limit } = test.of;
		this.pacer = pacer;
		this.suspicion = undefined;
		if (test.reason === 'random') {
			this.random.confirm();
			limit?.dismiss();
			pacer.restart(paced);
			if (this.random.isBelieved) this.believe();
			return;
		}
		limit!.confirm();
		pacer.restart(paced, Math.ceil(limit!.places * RESTART_SHARE));
	}

	/** Refusals come by chance: what they seemed to show is not known. */
	private believe(): void {
		for (const estimate of [this.concurrency, this.all]) estimate.forgetUnproven();
		this.pacerBefore = this.pacer;
		this.pacer = new RatePacer(RAMP_START);
	}

	private disbelieve(): void {
		if (!this.random.isProven) this.pacer = this.pacerBefore!;
		this.random.reject();
	}

	private endTest({ test }: LaneRequest, reason: RefusalReason): void {
		if (!test || test.of !== this.suspicion) return;
		this.random.reject();
		test.of.isTesting = false;
		delete test.of.randomTestAt;
		if (!test.of.limit || (test.reason === 'places' && reason !== 'suspected'))
			this.suspicion = undefined;
	}

	/**
	 * Which limit at once explains the refusal. Where requests of other lanes were under way too, it is
	 * more likely the one of all; if not, its tests fail.
	 */
	private explain({ inLane, inAll, test }: LaneRequest, now: number): Explanation {
		const isTestOf = (limit: ConcurrencyEstimate) =>
			test?.reason === 'places' && test.of === this.suspicion && test.of.limit === limit;
		const hasMoreInAll = inAll.others.size > inLane.others.size;
		if (hasMoreInAll && !this.concurrency.explains(inLane)) {
			const reason = this.all.refuse(inAll, now, isTestOf(this.all));
			if (reason) {
				this.concurrency.drop(inLane);
				return { limit: this.all, reason };
			}
		}
		this.all.drop(inAll);
		const reason = this.concurrency.refuse(inLane, now, isTestOf(this.concurrency));
		return { limit: this.concurrency, reason };
	}

	/** A free place may explain what is accepted, so it is not chance that is tested then. */
	private testDue(now: number): Test | undefined {
		const of = this.suspicion;
		if (!of || of.isTesting) return undefined;
		if (of.limit?.isTestDue) return { of, reason: 'places' };
		const isDue = now >= (of.randomTestAt ?? Infinity) && !this.pacer.mayStart(now);
		return isDue ? { of, reason: 'random' } : undefined;
	}

	private dismiss(): void {
		this.suspicion?.limit?.dismiss();
		this.suspicion = undefined;
	}
}
