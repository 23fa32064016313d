import fc from 'fast-check';
import {
	canonicalJson,
	encodeKey,
	keyOfEqualRequest,
	keyOfExecution,
	keyOfModel,
	keyOfRow,
	RetiredKeys,
	type KeyOrigin,
} from '../../../nodes/gateway/tasks/idempotencyKeys';
import { endedWithoutResult } from '../../../nodes/gateway/tasks/submitTask';
import { readTask } from '../../../nodes/gateway/tasks/schema';

const origin: KeyOrigin = {
	instanceId: 'instance-1',
	workflowId: 'workflow-1',
	execution: '17',
	node: 'node-1',
};
const body = { model: 'imgn-4.0', prompt: 'a kite', extra: { a: 1, b: [1, 2] } };

/** Every way to be another submission, for each part of the origin. */
const others: Record<keyof KeyOrigin, Partial<KeyOrigin>> = {
	instanceId: { instanceId: 'instance-2' },
	workflowId: { workflowId: 'workflow-2' },
	execution: { execution: '18' },
	node: { node: 'node-2' },
};

describe.each([
	['row', (of: KeyOrigin, sent: typeof body) => keyOfRow(of, sent, '0'), []],
	['execution', keyOfExecution, []],
	[
		'equal request',
		(of: KeyOrigin, sent: typeof body) => keyOfEqualRequest(of, sent, '0'),
		['execution'],
	],
] as const)('the key of a %s', (_name, keyOf, spans: readonly string[]) => {
	const key = keyOf(origin, body);

	it('is the same for the same submission in any process, in whatever order it is written', () => {
		expect(key).toMatch(/^n8n-[0-9a-f]{40}$/);
		const reordered = { extra: { b: [1, 2], a: 1 }, prompt: 'a kite', model: 'imgn-4.0' };
		expect(keyOf(origin, reordered)).toBe(key);
	});

	it.each(Object.entries(others))('with another %s', (name, more) => {
		const isSame = keyOf({ ...origin, ...more }, body) === key;
		expect(isSame).toBe(spans.includes(name));
	});

	it.each([
		['another prompt', { ...body, prompt: 'a quay' }],
		['another order of a list', { ...body, extra: { a: 1, b: [2, 1] } }],
		['a number as text', { ...body, extra: { a: '1' as never, b: [1, 2] } }],
	])('differs with %s', (_name, other) => expect(keyOf(origin, other)).not.toBe(key));
});

it('the keys of the first and second row, of an execution, and of the first and second equal request differ', () => {
	const keys = [
		keyOfRow(origin, body, '0'),
		keyOfRow(origin, body, '1'),
		keyOfExecution(origin, body),
		keyOfEqualRequest(origin, body, '0'),
		keyOfEqualRequest(origin, body, '1'),
	];
	expect(new Set(keys).size).toBe(5);
});

it('a body is written with its names in order at every level', () => {
	expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' })).toBe(
		'{"a":"x","b":[{"c":null,"d":1}]}',
	);
});

const HOUR_MS = 3_600_000;
let now = Date.parse('2026-11-20T03:00:00Z');
const clock = { now: () => now };
const task = (taskId: string, hoursAgo?: number) => ({
	taskId,
	...(hoursAgo !== undefined && { createdAt: new Date(now - hoursAgo * HOUR_MS).toISOString() }),
});

describe('the successor of a key', () => {
	it('is there once for every task of the key that ended without a result', () => {
		const keys = new RetiredKeys(clock);
		expect(keys.use('row-7')).toBe('row-7');
		keys.retire('row-7', task('task_1'));
		expect(keys.use('row-7')).toBe('row-7%retry-1');
		keys.retire('row-7', task('task_1'));
		expect(keys.use('row-7')).toBe('row-7%retry-1');
		keys.retire('row-7', task('task_2'));
		expect(keys.use('row-7')).toBe('row-7%retry-2');
		expect(keys.use('row-8')).toBe('row-8');
		expect(new RetiredKeys(clock).use('row-7')).toBe('row-7');
	});

	it('is forgotten when the gateway forgets the key, as other processes do not know of it', () => {
		const keys = new RetiredKeys(clock);
		keys.retire('row-7', task('task_1', 2));
		now += 21 * HOUR_MS;
		expect(keys.isRetired('row-7', 'task_1')).toBe(true);
		now += HOUR_MS;
		expect(keys.isRetired('row-7', 'task_1')).toBe(false);
		expect(keys.use('row-7')).toBe('row-7');
	});

	it('is kept as long as the gateway keeps the successor', () => {
		const keys = new RetiredKeys(clock);
		keys.retire('row-7', task('task_1'));
		for (const hours of [20, 20]) {
			now += hours * HOUR_MS;
			expect(keys.use('row-7')).toBe('row-7%retry-1');
		}
		now += 24 * HOUR_MS;
		expect(keys.use('row-7')).toBe('row-7');
	});

	it.each([-5, 30])('counts from now where the task seems to be %s hours old', (hours) => {
		const keys = new RetiredKeys(clock);
		keys.retire('row-7', task('task_1', hours));
		now += 23 * HOUR_MS;
		expect(keys.use('row-7')).toBe('row-7%retry-1');
	});

	it('forgets the keys that were not used for the longest time, so that a process of months does not grow', () => {
		const keys = new RetiredKeys(clock);
		for (let index = 0; index <= 10_000; index += 1) keys.retire(`row-${index}`, task('task_1'));

		expect(keys.use('row-0')).toBe('row-0');
		expect(keys.use('row-1')).toBe('row-1%retry-1');
	});

	it.each([
		[{ status: 'failed' }, true],
		[{ status: 'cancelled' }, true],
		[{ status: 'completed', cost: 0 }, true],
		[{ status: 'completed', cost: 500 }, false],
		[{ status: 'completed' }, false],
		[{ status: 'processing' }, false],
	])('follows a task that is %j: %s', (state, isRetired) => {
		expect(endedWithoutResult(readTask({ task_id: 'task_1', ...state })!)).toBe(isRetired);
	});
});

describe('a key in a header', () => {
	it.each(['row-7', 'A b!~', 'row 1'])('stays as the user wrote it: %s', (key) =>
		expect(encodeKey(key)).toBe(key),
	);

	it('holds in percent and hex what a header cannot carry, and the percent sign', () => {
		expect(encodeKey('产品-7')).toBe('%E4%BA%A7%E5%93%81-7');
		expect(encodeKey('%E4%BA%A7%E5%93%81-7')).toBe('%25E4%25BA%25A7%25E5%2593%2581-7');
		expect(encodeKey('a\nb')).toBe('a%0Ab');
		expect(encodeKey(' a ')).toBe('%20a%20');
	});

	it('differs for different keys, their successors and their fallbacks, whatever they hold', () => {
		const keys = new RetiredKeys(clock);
		const word = fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.constantFrom('a', 'a-retry-1', 'a%retry-1'),
		);
		fc.assert(
			fc.property(word, word, word, (first, second, model) => {
				fc.pre(first !== second);
				const sent = [encodeKey(first), encodeKey(second), keyOfModel(first, model)];
				keys.retire(sent[0]!, task('task_1'));
				expect(new Set([...sent, keys.use(sent[0]!)]).size).toBe(4);
				for (const key of sent) expect(key).toMatch(/^(?! )[\x20-\x7e]*(?<! )$/);
			}),
		);
	});
});
