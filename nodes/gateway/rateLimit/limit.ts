/** One request too many; some gateways say so with 503. */
export const isRefusal = (status: number | undefined): boolean => status === 429 || status === 503;

/** They may be limited together or apart. */
export type Lane = 'submits' | 'others';

/** To be called once. `status` is undefined when no usable response came. */
export type EndAttempt = (status: number | undefined, now: number) => void;

/** Decides when requests may start, and learns from how they end. Times in Unix milliseconds. */
export interface Limit {
	/** When a request may start while so many clients wait. `Infinity`: only the end of an attempt tells. */
	opensAt(now: number, clients: number, lane: Lane): number;
	/** `isAfterIdle`: nobody waited when it came. */
	start(now: number, isAfterIdle: boolean, clients: number, lane: Lane): EndAttempt;
}

/** A request without an answer for so long is not about to be refused, and does not hold others back. */
export const STALLED_MS = 2_000;

/** Unanswered requests of a client at first. With 10, 200 rows have 5.5 % refused, not 4.7 %. */
export const FIRST_BURST = 5;

/** After so many requests a refused test has paid for itself, and AIMD can be compared. Earlier, random refusals lose rows. */
export const FEW_REQUESTS = 16;

/** Exponential backoff that counts accepted requests or windows, not time. The first try is due at once. */
export class Backoff {
	private tries = 0;
	private left = 0;

	constructor(private readonly firstGap = FEW_REQUESTS) {}

	get isDue(): boolean {
		return this.left <= 0;
	}

	accept(): void {
		this.left -= 1;
	}

	delay(): void {
		// With a factor of 4, a limit that rises takes 1.56 times AIMD.
		this.left = this.firstGap * 3 ** this.tries;
		this.tries += 1;
	}

	/** The try has succeeded, so the next one is due. */
	reset(): void {
		this.tries = this.left = 0;
	}
}

/** Whether the tests are refused, in turn. A joint limit that has just opened shows otherwise. */
const ARE_REFUSED = [false, true, false];

/**
 * Submissions and other requests count together until three tests show that the gateway limits them apart:
 * while one lane is refused, one of the other is accepted, one of the first is still refused, and one of the
 * other is accepted again.
 */
export class LaneLimits implements Limit {
	private readonly lanes: Record<Lane, Limit>;
	private refused: Lane | undefined;
	private readonly tests = new Backoff();
	/** So many tests have shown what is expected. */
	private passed = 0;
	private isTesting = false;

	constructor(private readonly createLimit: () => Limit) {
		const together = createLimit();
		this.lanes = { submits: together, others: together };
	}

	opensAt(now: number, clients: number, lane: Lane): number {
		const at = this.lanes[lane].opensAt(now, clients, lane);
		return at > now && this.isTestDue(lane) ? now : at;
	}

	start(startedAt: number, isAfterIdle: boolean, clients: number, lane: Lane): EndAttempt {
		const limit = this.lanes[lane];
		if (limit.opensAt(startedAt, clients, lane) > startedAt) return this.startTest(lane);
		const end = limit.start(startedAt, isAfterIdle, clients, lane);
		return (status, now) => {
			if (!isRefusal(status)) this.tests.accept();
			else if (!this.isTesting && !this.passed) this.refused = lane;
			end(status, now);
		};
	}

	private isTestDue(lane: Lane): boolean {
		const areTogether = this.lanes.submits === this.lanes.others;
		if (!this.refused || !areTogether || this.isTesting) return false;
		const isRefused = lane === this.refused;
		return isRefused === ARE_REFUSED[this.passed] && (this.passed > 0 || this.tests.isDue);
	}

	private startTest(lane: Lane): EndAttempt {
		this.isTesting = true;
		this.tests.delay();
		return (status) => {
			this.isTesting = false;
			const isExpected = isRefusal(status) === ARE_REFUSED[this.passed];
			this.passed = isExpected ? this.passed + 1 : 0;
			if (this.passed === ARE_REFUSED.length) this.lanes[lane] = this.createLimit();
		};
	}
}
