import {
	canonicalJson,
	IdempotencyKeys,
	type KeyOrigin,
} from '../../../nodes/gateway/tasks/idempotencyKeys';
import { noteResult } from '../../../nodes/gateway/tasks/submitTask';
import { readTask } from '../../../nodes/gateway/tasks/schema';

const origin: KeyOrigin = {
	instanceId: 'instance-1',
	workflowId: 'workflow-1',
	executionId: '17',
	node: 'node-1',
	runIndex: 0,
	itemIndex: 0,
	isTool: false,
};
const tool: KeyOrigin = { ...origin, isTool: true };
const agent: KeyOrigin = { ...tool, executionId: undefined };
const body = { model: 'imgn-4.0', prompt: 'a kite', extra: { a: 1, b: [1, 2] } };

const keyOf = (more: Partial<KeyOrigin> = {}, sent: object = body, keys = new IdempotencyKeys()) =>
	keys.acquire({ ...origin, ...more }, { ...sent }).key;

/** Every way to be another submission, for each part of the origin. */
const others: Record<keyof KeyOrigin, Partial<KeyOrigin>> = {
	instanceId: { instanceId: 'instance-2' },
	workflowId: { workflowId: 'workflow-2' },
	executionId: { executionId: '18' },
	node: { node: 'node-2' },
	runIndex: { runIndex: 1 },
	itemIndex: { itemIndex: 1 },
	isTool: { isTool: true },
};

describe('the key of a submission', () => {
	const key = keyOf();

	it('is the same for the same submission in any process, in whatever order it is written', () => {
		expect(key).toMatch(/^n8n-[0-9a-f]{40}$/);
		expect(keyOf({}, { extra: { b: [1, 2], a: 1 }, prompt: 'a kite', model: 'imgn-4.0' })).toBe(
			key,
		);
	});

	it.each(Object.entries(others))('differs with another %s', (_name, more) =>
		expect(keyOf(more)).not.toBe(key),
	);

	it.each([
		['another prompt', { ...body, prompt: 'a quay' }],
		['another order of a list', { ...body, extra: { a: 1, b: [2, 1] } }],
		['a number as text', { ...body, extra: { a: '1', b: [1, 2] } }],
	])('differs with %s', (_name, other) => expect(keyOf({}, other)).not.toBe(key));

	it('stays the same after its result was delivered, and need not be remembered', () => {
		const keys = new IdempotencyKeys();
		const lease = keys.acquire(origin, body);
		lease.release(true);

		expect(lease.isLent).toBe(false);
		expect(keys.acquire(origin, body).key).toBe(key);
	});

	it('is written with its names in order at every level', () => {
		expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })).toBe(
			'{"a":"x","b":[{"c":null,"d":1}]}',
		);
	});
});

describe.each([
	['of a tool', tool],
	['outside an execution', agent],
])('the key of a submission %s', (_name, of) => {
	let keys: IdempotencyKeys;
	beforeEach(() => void (keys = new IdempotencyKeys()));
	/** One try after another: each counts as a run of its own. */
	const acquire = (runIndex: number, more: Partial<KeyOrigin> = {}) =>
		keys.acquire({ ...of, runIndex, ...more }, body);

	it('is the same for a repeat whose result did not reach the user', () => {
		const first = acquire(0);
		first.release(false);
		const second = acquire(1);

		expect([second.key, second.isLent]).toEqual([first.key, true]);
		second.release(false);
		expect(acquire(2).key).toBe(first.key);
	});

	it('is a new one after the result has reached the user', () => {
		const first = acquire(0);
		first.release(false);
		const second = acquire(1);
		second.release(true);

		expect(acquire(2).key).not.toBe(first.key);
	});

	it('is not shared with the same submission from elsewhere', () => {
		const first = acquire(0);
		first.release(false);

		for (const more of [others.instanceId, others.workflowId, others.node, others.itemIndex])
			expect(acquire(0, more).key).not.toBe(first.key);
	});
});

it('is never the same twice outside an execution, unless it was undelivered', () => {
	expect(keyOf(agent)).not.toBe(keyOf(agent));
});

it('is the same in two processes for the same run of a tool', () => {
	expect(keyOf(tool)).toBe(keyOf(tool));
});

it('forgets the oldest undelivered keys, so that a process that runs for months does not grow', () => {
	const keys = new IdempotencyKeys();
	const acquire = (prompt: string) => keys.acquire(agent, { prompt });
	const [oldest, second] = ['0', '1'].map((prompt) => {
		const lease = acquire(prompt);
		lease.release(false);
		return lease.key;
	});
	for (let index = 2; index <= 10_000; index += 1) acquire(String(index)).release(false);

	expect(acquire('1').key).toBe(second);
	expect(acquire('0').key).not.toBe(oldest);
});

describe('a reusable key', () => {
	const keys = new IdempotencyKeys();
	const reusable = (more: Partial<KeyOrigin> = {}, ordinal = 0, sent: object = body) =>
		keys.reusable({ ...origin, ...more }, { ...sent }, ordinal);

	it.each(['executionId', 'runIndex', 'itemIndex', 'isTool'] as const)(
		'is the same with another %s',
		(name) => expect(reusable(others[name])).toBe(reusable()),
	);

	it.each(['instanceId', 'workflowId', 'node'] as const)('differs with another %s', (name) =>
		expect(reusable(others[name])).not.toBe(reusable()),
	);

	it('differs for another body, and for the second of two equal ones', () => {
		expect(reusable({}, 0, { ...body, prompt: 'a quay' })).not.toBe(reusable());
		expect(reusable({}, 1)).not.toBe(reusable());
		expect(reusable()).not.toBe(keyOf());
	});
});

describe('the successor of a key', () => {
	let keys: IdempotencyKeys;
	beforeEach(() => void (keys = new IdempotencyKeys()));

	it('is there once for every task of the key that ended without a result', () => {
		expect(keys.current('row-7')).toBe('row-7');
		keys.retire('row-7', 'task_1');
		expect(keys.current('row-7')).toBe('row-7-retry-1');
		keys.retire('row-7', 'task_1');
		expect(keys.current('row-7')).toBe('row-7-retry-1');
		keys.retire('row-7', 'task_2');
		expect(keys.current('row-7')).toBe('row-7-retry-2');
		expect(keys.current('row-8')).toBe('row-8');
		expect(new IdempotencyKeys().current('row-7')).toBe('row-7');
	});

	it.each([
		[{ status: 'failed' }, true],
		[{ status: 'cancelled' }, true],
		[{ status: 'completed', cost: 0 }, true],
		[{ status: 'completed', cost: 500 }, false],
		[{ status: 'completed' }, false],
		[{ status: 'processing' }, false],
	])('follows a task that is %j: %s', (state, isRetired) => {
		noteResult('row-7', readTask({ task_id: 'task_1', ...state })!, keys);

		expect(keys.current('row-7')).toBe(isRetired ? 'row-7-retry-1' : 'row-7');
	});
});

describe('a key in a header', () => {
	const keys = new IdempotencyKeys();

	it.each(['row-7', 'A b!~', '100%'])('stays as the user wrote it: %s', (key) =>
		expect(keys.current(key)).toBe(key),
	);

	it('keeps characters apart that a header cannot carry', () => {
		expect(keys.current('产品-7')).toBe('%E4%BA%A7%E5%93%81-7');
		expect(keys.current('订单-7')).not.toBe(keys.current('产品-7'));
		expect(keys.current('a\nb')).toBe('a%0Ab');
	});
});
