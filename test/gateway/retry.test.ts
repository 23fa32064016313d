import {
	currentKey,
	deriveKey,
	retireKey,
	type KeyOrigin,
} from '../../nodes/gateway/tasks/idempotencyKeys';
import { isRetryable, retryDelayMs, retryAfterMs } from '../../nodes/gateway/retry';

const NOON = Date.parse('2025-11-20T12:00:00Z');

describe('what may be repeated', () => {
	it.each([
		['read', 429, true],
		['read', 500, true],
		['read', 502, true],
		['read', 504, true],
		['read', undefined, true],
		['read', 400, false],
		['read', 404, false],
		['submit', 429, true],
		['submit', 500, true],
		['submit', undefined, true],
		['submit', 400, false],
		['submit', 402, false],
		['write', 429, true],
		['write', 500, false],
		['write', undefined, false],
		['write', 409, false],
	] as const)('a %s that met %s: %s', (kind, status, may) =>
		expect(isRetryable(kind, status)).toBe(may),
	);
});

describe('how long to pause', () => {
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
		expect(retryAfterMs(header, NOON)).toBe(ms),
	);

	it('does as it is asked', () => {
		const policy = { attempts: 6, budgetMs: 1e6, firstPauseMs: 400 };
		expect(retryDelayMs(5, policy, 400)).toBe(400);
		expect(retryDelayMs(5, policy, 70_000)).toBe(70_000);
	});

	it.each([0, 1, 399])(
		'takes its own pause where %i ms are asked for: it could be refused without end',
		(asked) => {
			expect(
				retryDelayMs(4, { attempts: 6, budgetMs: 1e6, firstPauseMs: 400 }, asked),
			).toBeGreaterThanOrEqual(1600);
		},
	);

	it.each([
		[1, 200, 400],
		[2, 400, 800],
		[3, 800, 1600],
		[9, 10_000, 20_000],
	])('pauses after try %i for %i to %i ms, by chance', (attempt, least, most) => {
		const pauses = Array.from({ length: 200 }, () =>
			retryDelayMs(attempt, { attempts: 6, budgetMs: 1e6, firstPauseMs: 400 }),
		);
		expect(Math.min(...pauses)).toBeGreaterThanOrEqual(least);
		expect(Math.max(...pauses)).toBeLessThanOrEqual(most);
		expect(new Set(pauses).size).toBeGreaterThan(50);
	});
});

describe('the key of a submission', () => {
	const origin: KeyOrigin = { executionId: '17', nodeId: 'node-1', runIndex: 0, itemIndex: 0 };
	const body = { model: 'imgn-4.0', prompt: 'a kite', extra: { a: 1, b: [1, 2] } };
	const key = deriveKey(origin, body);

	it('is the same for the same submission, in whatever order it is written', () => {
		expect(key).toMatch(/^n8n-[0-9a-f]{40}$/);
		expect(
			deriveKey({ ...origin }, { extra: { b: [1, 2], a: 1 }, prompt: 'a kite', model: 'imgn-4.0' }),
		).toBe(key);
	});

	it.each([
		['another execution', { executionId: '18' }],
		['another node', { nodeId: 'node-2' }],
		['another round of a loop', { runIndex: 1 }],
		['another item', { itemIndex: 1 }],
	])('differs for %s', (_name, more) =>
		expect(deriveKey({ ...origin, ...more }, body)).not.toBe(key),
	);

	it.each([
		['another prompt', { ...body, prompt: 'a quay' }],
		['another order of a list', { ...body, extra: { a: 1, b: [2, 1] } }],
		['a number as text', { ...body, extra: { a: '1', b: [1, 2] } }],
	])('differs for %s', (_name, other) => expect(deriveKey(origin, other)).not.toBe(key));

	it('is never the same twice outside an execution', () => {
		const nowhere = { ...origin, executionId: undefined };
		expect(deriveKey(nowhere, body)).not.toBe(deriveKey(nowhere, body));
	});

	it('has a successor for every task of it that ended without a result', () => {
		expect(currentKey('row-7')).toBe('row-7');
		retireKey('row-7', 'task_1');
		expect(currentKey('row-7')).toBe('row-7-retry-1');
		retireKey('row-7', 'task_1');
		expect(currentKey('row-7')).toBe('row-7-retry-1');
		retireKey('row-7', 'task_2');
		expect(currentKey('row-7')).toBe('row-7-retry-2');
		expect(currentKey('row-8')).toBe('row-8');
	});
});
