import { ERROR_CODES, type ErrorCode } from '../../nodes/gateway/errorCodes';
import {
	decide,
	isRetryable,
	isUnclearStatus,
	retryAfterOf,
	retryDelayMs,
	DEFAULT_RETRY,
	startHistory,
	type FailedAttempt,
	type RequestKind,
} from '../../nodes/gateway/retry';
import { GatewayError } from '../../nodes/gateway/errors';
import { errorFromStatus } from '../../nodes/gateway/response';
import { postTask } from '../../nodes/gateway/tasks/api';
import { unionLiterals } from '../support/sourceFacts';
import { createVirtualGateway, ok, refusal } from '../support/virtualGateway';

const NOON = Date.parse('2025-11-20T12:00:00Z');
const codes = Object.keys(ERROR_CODES) as ErrorCode[];
const kinds = unionLiterals('nodes/gateway/retry.ts', 'RequestKind') as RequestKind[];
const statuses = Array.from({ length: 200 }, (_, index) => 400 + index);
const isTransient = (status: number) => status >= 500 || [408, 409, 425].includes(status);

describe('what may be repeated', () => {
	/** Whether a request is repeated though an earlier try may have been carried out. */
	const isSafe: Record<RequestKind, boolean> = {
		read: true,
		submit: true,
		idempotent: true,
		write: false,
	};

	it('is stated here for every kind of request', () => {
		expect(Object.keys(isSafe).sort()).toEqual([...kinds].sort());
	});

	it.each(kinds)('a %s, for every status', (kind) => {
		const repeated = statuses.filter((status) => isRetryable(kind, status));

		expect(repeated).toEqual(
			statuses.filter((status) => status === 429 || (isSafe[kind] && isTransient(status))),
		);
		expect(isRetryable(kind, undefined)).toBe(isSafe[kind]);
	});

	it.each(kinds)('agrees with the hint of the error: a %s', (kind) => {
		for (const status of statuses) {
			const { hint, details, code } = errorFromStatus(status, {}, kind);
			const promises = hint.includes('not billed twice');
			expect([status, promises]).toEqual([status, kind === 'submit' && isTransient(status)]);
			expect([status, 'billed' in details]).toEqual([status, !isTransient(status)]);
			expect([status, code === 'unknown_outcome']).toEqual([status, isUnclearStatus(status)]);
			expect([status, details.http_status]).toEqual([status, status]);
		}
	});
});

describe('how long to wait', () => {
	const options = { attempts: 6, budgetMs: 1e6, firstDelayMs: 400 };

	it.each([
		['3', 3000],
		[3, 3000],
		['0', 0],
		['1.5', 1500],
		['Thu, 20 Nov 2025 12:00:05 GMT', 5000],
		['Thu, 20 Nov 2025 11:59:00 GMT', 0],
		['soon', undefined],
		['', undefined],
		[undefined, undefined],
		[null, undefined],
		['-3', 0],
	])('reads the Retry-After %p as %p ms', (header, ms) =>
		expect(retryAfterOf({ 'retry-after': header }, NOON)).toBe(ms),
	);

	it('takes a date by the clock of who answers, which may differ from ours', () => {
		const headers = {
			'retry-after': 'Thu, 20 Nov 2025 14:00:05 GMT',
			date: 'Thu, 20 Nov 2025 14:00:00 GMT',
		};
		expect(retryAfterOf(headers, NOON)).toBe(5_000);
	});

	it('follows what the gateway requests', () => {
		expect(retryDelayMs(5, options, 400)).toBe(400);
		expect(retryDelayMs(5, options, 70_000)).toBe(70_000);
	});

	it.each([0, 1, 399])(
		'takes its own delay where %i ms are requested: it could be refused without end',
		(requestedMs) => {
			expect(retryDelayMs(4, options, requestedMs)).toBeGreaterThanOrEqual(1600);
		},
	);

	it.each([
		[1, 200, 400],
		[2, 400, 800],
		[3, 800, 1600],
		[9, 10_000, 20_000],
	])('waits after try %i for %i to %i ms, at random', (attempt, least, most) => {
		const delays = Array.from({ length: 200 }, () => retryDelayMs(attempt, options));
		expect(Math.min(...delays)).toBeGreaterThanOrEqual(least);
		expect(Math.max(...delays)).toBeLessThanOrEqual(most);
		expect(new Set(delays).size).toBeGreaterThan(50);
	});
});

describe('the decision after an attempt', () => {
	const NOW = 1_000_000;
	const start = (kind: RequestKind = 'submit', until = NOW + 60_000) =>
		startHistory(kind, { attempts: 3, budgetMs: 10_000, firstDelayMs: 400 }, until);
	const failed = (status?: number, more: Partial<FailedAttempt> = {}): FailedAttempt => ({
		status,
		details: { retry: true },
		endedAt: NOW,
		...more,
	});

	it('after a 429 obeys Retry-After exactly', () => {
		expect(decide(start(), failed(429, { requestedMs: 7_000 })).retryAt).toBe(NOW + 7_000);
	});

	it('after a 429 ends only with the deadline', () => {
		let history = start();
		for (let count = 0; count < 500; count += 1) ({ history } = decide(history, failed(429)));

		expect(decide(history, failed(429)).retryAt).toBeGreaterThan(NOW);
		expect(decide(history, failed(429, { endedAt: NOW + 60_001 })).retryAt).toBeUndefined();
	});

	it('after a 429 that names a time beyond the deadline waits for the deadline', () => {
		const refused = failed(429, { requestedMs: 86_400_000 });

		expect(decide(start('submit'), refused).retryAt).toBe(NOW + 86_400_000);
		expect(decide(start('write'), refused).retryAt).toBe(NOW + 86_400_000);
		const other = startHistory('submit', { ...DEFAULT_RETRY, hasFallback: true }, NOW + 60_000);
		expect(decide(other, refused).retryAt).toBeUndefined();
		// The next poll makes up for this one.
		expect(decide(start('read'), refused).retryAt).toBeUndefined();
	});

	describe('after a 503 that names a time', () => {
		const delayed = failed(503, { requestedMs: 50_000 });

		it.each(['submit', 'idempotent', 'read'] as const)('waits that long: a %s', (kind) => {
			const { retryAt, history } = decide(start(kind), delayed);

			expect(retryAt).toBe(NOW + 50_000);
			expect(history).toMatchObject({ refusals: 1, failures: 0, delayedMs: 0 });
		});

		it('ends with the deadline, not with the attempts', () => {
			let history = start();
			for (let count = 0; count < 9; count += 1) ({ history } = decide(history, delayed));

			expect(decide(history, delayed).retryAt).toBe(NOW + 50_000);
			expect(decide(history, { ...delayed, endedAt: NOW + 60_001 }).retryAt).toBeUndefined();
		});

		it('still does not know what it cost', () => {
			expect(decide(start(), delayed).history).toMatchObject({
				isBillingUnknown: true,
				mayHaveExecuted: false,
			});
		});

		it('lets the fallback model try instead', () => {
			const options = { attempts: 3, budgetMs: 10_000, firstDelayMs: 400, hasFallback: true };
			const { retryAt, history } = decide(startHistory('submit', options, NOW + 60_000), delayed);

			expect(retryAt).toBeUndefined();
			expect(history).toMatchObject({ refusals: 0, failures: 1 });
		});

		it('repeats no plain write', () => {
			expect(decide(start('write'), delayed).retryAt).toBeUndefined();
		});

		it('counts as a failure where the time is none', () => {
			const { retryAt, history } = decide(start(), failed(503, { requestedMs: 0 }));

			expect(retryAt! - NOW).toBeLessThanOrEqual(400);
			expect(history).toMatchObject({ refusals: 0, failures: 1 });
		});
	});

	it('ends after the attempts that it has', () => {
		const first = decide(start(), failed(500));
		const second = decide(first.history, failed(500));

		expect([first, second].map(({ retryAt }) => retryAt! > NOW)).toEqual([true, true]);
		expect(decide(second.history, failed(500)).retryAt).toBeUndefined();
	});

	it('never forgets that an attempt may have been carried out', () => {
		const { history } = decide(start(), failed(undefined));

		expect(decide(history, failed(429)).history).toMatchObject({
			mayHaveExecuted: true,
			isBillingUnknown: true,
			refusals: 1,
			failures: 1,
		});
	});

	it('does not say so of a read, nor of an overload', () => {
		expect(decide(start('read'), failed(500)).history.mayHaveExecuted).toBe(false);
		expect(decide(start(), failed(503)).history).toMatchObject({
			mayHaveExecuted: false,
			isBillingUnknown: true,
		});
	});

	it.each(kinds)('knows without a response what was certainly not carried out: a %s', (kind) => {
		const unbilled = codes.filter((code) => ERROR_CODES[code].billed === 'no');
		const known = codes.filter((code) => {
			const { details } = new GatewayError(code, '');
			const { history, retryAt } = decide(start(kind), failed(undefined, { details }));
			const isKnown = !history.isBillingUnknown && !history.mayHaveExecuted;
			if (isKnown) expect([code, retryAt !== undefined]).toEqual([code, details.retry]);
			return isKnown;
		});

		expect(unbilled).toEqual(expect.arrayContaining(['file_unavailable', 'redirected']));
		expect(known).toEqual(unbilled);
	});
});

it('reads retry-after-ms before Retry-After', () => {
	expect(retryAfterOf({ 'retry-after-ms': '1500', 'retry-after': '2' }, NOON)).toBe(1_500);
	expect(retryAfterOf({ 'retry-after-ms': 'soon', 'retry-after': '2' }, NOON)).toBe(2_000);
	expect(retryAfterOf({}, NOON)).toBeUndefined();
});

describe('a submission that is refused once, with a Retry-After', () => {
	const MINUTE_MS = 60_000;
	/** How it ends within 20 minutes, and after how many seconds. `headers`: of the refusal, by the clock of n8n. */
	async function submit(status: number, headers: (now: number) => Record<string, string>) {
		const { client, clock } = createVirtualGateway((_request, index) =>
			index
				? ok({ task_id: 'task_1', status: 'queued' })
				: refusal(status, 'No', headers(clock.now())),
		);
		const startedAt = clock.now();
		const submission = { body: {}, idempotencyKey: 'row-1', until: startedAt + 20 * MINUTE_MS };
		const { task } = await clock.run(postTask(client, submission));
		return { id: task.taskId, seconds: Math.round((clock.now() - startedAt) / 1000) };
	}

	it.each([429, 503])('of five minutes and the status %i is sent again then', async (status) => {
		expect(await submit(status, () => ({ 'retry-after': '300' }))).toEqual({
			id: 'task_1',
			seconds: 300,
		});
	});

	it('that is a date counts from the Date of the gateway, whatever the clock of n8n says', async () => {
		const utc = (ms: number) => new Date(ms).toUTCString();
		const headers = (now: number) => {
			const gatewayNow = now + 30 * MINUTE_MS;
			return { date: utc(gatewayNow), 'retry-after': utc(gatewayNow + 5_000) };
		};

		expect(await submit(429, headers)).toEqual({ id: 'task_1', seconds: 5 });
	});
});
