import type { TaskRecord } from '../../sandbox';
import { createAccount, LeakDetector } from '../../scripts/campaign/account';
import {
	audit,
	recordResult,
	type Evidence,
	type Findings,
	type Row,
} from '../../scripts/campaign/audit';
import { readRowResult } from '../../scripts/campaign/rowResult';

const LINK = 'https://files.example.com/1.png';

/** A task as the sandbox's book has it. */
const booked = (name: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
	task_id: `task_${name}`,
	account: 'main',
	body: { prompt: name },
	model: 'imgn-4.0',
	action: 'generate',
	status: 'completed',
	held: 21250,
	cost: 21250,
	submitted: 0,
	finished: 1,
	polls: 1,
	callbacks: 0,
	deliveries: [],
	...more,
});
/** A row as an item of the node returns it. */
const home = (name: string, json: Record<string, unknown> = {}, wantsFiles = false): Row => ({
	name,
	result: readRowResult(
		{ json: { task_id: `task_${name}`, status: 'completed', urls: [LINK], cost: 21250, ...json } },
		wantsFiles,
	),
});
const failed = {
	error: 'The task task_b failed',
	details: { task_id: 'task_b', status: 'failed', billed: 0 },
};

const found = (evidence: Partial<Evidence>): Partial<Findings> =>
	Object.fromEntries(
		Object.entries(audit({ rows: [], tasks: [], forgedRuns: [], leaks: [], ...evidence })).filter(
			([, list]) => list.length,
		),
	);

describe('the audit of a campaign', () => {
	it('finds nothing when every row has its result, a failed one its refund', () => {
		const rows: Row[] = [home('a'), { name: 'b', result: readRowResult({ json: failed }) }];
		expect(
			found({ rows, tasks: [booked('a'), booked('b', { status: 'failed', cost: 0 })] }),
		).toEqual({});
	});

	it.each<[string, Partial<Evidence>, Partial<Findings>]>([
		[
			'a paid task that no item names',
			{ rows: [home('a')], tasks: [booked('a'), booked('x')] },
			{ lostTasks: ['x: task_x is paid and in no item'] },
		],
		[
			'a row without an item',
			{ rows: [{ name: 'a' }], tasks: [] },
			{ lostTasks: ['a: has no final result (no item)'] },
		],
		[
			'a row that is still running',
			{ rows: [home('a', { status: 'processing' })], tasks: [booked('a')] },
			{ lostTasks: ['a: has no final result (still processing)'] },
		],
		[
			'a row that is paid twice, and whose first task is in no item',
			{ rows: [home('a')], tasks: [booked('a'), booked('a', { task_id: 'task_other' })] },
			{ lostTasks: ['a: task_other is paid and in no item'], billedTwice: ['a: billed 2 times'] },
		],
		[
			'a result without links',
			{ rows: [home('a', { urls: [] })], tasks: [booked('a')] },
			{ missingResults: ['a: task_a without its result'] },
		],
		[
			'a result without the file that was asked for',
			{ rows: [home('a', {}, true)], tasks: [booked('a')] },
			{ missingResults: ['a: task_a without its result'] },
		],
		[
			"another row's task",
			{
				rows: [home('a'), home('b', { task_id: 'task_a' })],
				tasks: [booked('a'), booked('b', { cost: 0, status: 'failed' })],
			},
			{ contradictions: ['b: has the task of a'] },
		],
		[
			'a cost that was not charged',
			{ rows: [home('a', { cost: 5 })], tasks: [booked('a')] },
			{ contradictions: ['a: cost 5 here, 21250 at the gateway'] },
		],
		[
			'a task that the gateway does not know',
			{ rows: [home('a')], tasks: [] },
			{ contradictions: ['a: names task_a, which the gateway does not know'] },
		],
		[
			'an item that calls a completed task failed',
			{ rows: [{ name: 'b', result: readRowResult({ json: failed }) }], tasks: [booked('b')] },
			{ contradictions: ['b: failed here, completed at the gateway'] },
		],
		['a run that was forged', { forgedRuns: ['task_x'] }, { forgedRuns: ['task_x'] }],
		['a key that leaked', { leaks: ['log'] }, { leakedKeys: ['log'] }],
	])('finds %s', (_what, evidence, findings) => expect(found(evidence)).toEqual(findings));

	it('keeps the results of earlier rounds', () => {
		const row = home('a');
		recordResult(
			row,
			readRowResult({
				json: { error: 'The gateway could not be reached', details: { retry: true } },
			}),
		);
		expect(row).toEqual(home('a'));
	});
});

describe('the search for leaked keys', () => {
	const account = createAccount(3);
	const places = (content: unknown) => {
		const watch = new LeakDetector(account);
		watch.scan('here', content);
		return watch.found;
	};

	it('finds one in texts, files, items and errors, also in circular ones', () => {
		const circle: Record<string, unknown> = { deep: [{ header: `Bearer ${account.key}` }] };
		circle.self = circle;
		for (const content of [
			`a ${account.key} b`,
			Buffer.from(`\0${account.otherKey}\0`),
			circle,
			{ error: new Error(`with ${account.key}`) },
		])
			expect(places(content)).toEqual(['here']);
	});

	it('finds none where there is none', () => {
		for (const content of ['', undefined, { key: 'gk-' }, new Error('The API key is missing.')])
			expect(places(content)).toEqual([]);
	});
});
