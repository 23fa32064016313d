import type { IDataObject } from 'n8n-workflow';
import { keepInput } from '../../../nodes/n8n/items/includeInput';
import { outputSchemas } from '../../../scripts/schemas/outputSchemas';

it.each([
	['task', outputSchemas.task!.submit!, [], { status: 'failed' }],
	['text', outputSchemas.text!.chat!, ['data', 'images', 'annotations'], {}],
] as const)(
	'says nothing of an earlier %s that is not so of this one',
	(_kind, { properties, required }, usersOwn, more) => {
		const earlier = Object.fromEntries(Object.keys(properties!).map((name) => [name, 1]));
		const result = Object.fromEntries(required!.map((name) => [name, 2]));
		const kept = keepInput({ ...earlier, ...more, row: 'r1' }, result);

		expect(Object.keys({ ...kept, ...result }).sort()).toEqual(
			[...required!, ...usersOwn, 'row'].sort(),
		);
	},
);

it('keeps what another kind of result has, e.g. the price of a picture behind two texts', () => {
	const task = { task_id: 'task_1', status: 'completed', progress: 100, urls: ['a'] };
	const answer = { text: 'a', finish_reason: 'stop', usage: null };
	const item = { ...task, cost: 21_250, cost_usd: 0.0425, ...answer };

	expect(keepInput(item, answer)).toEqual(item);
	expect(keepInput(task, answer)).toEqual(task);
});

it('does not say of a task that it was only checked', () => {
	const check = { dry_run: true, estimated_cost: 21_250, advice: [] };
	const task = { task_id: 'task_1', status: 'completed', progress: 100 };

	expect(keepInput(check, task)).toEqual({ estimated_cost: 21_250, advice: [] });
	expect(keepInput(check, { text: 'a' })).toEqual(check);
});

it.each<[string, IDataObject, IDataObject]>([
	['named like a result', { urls: ['a'], data: { a: 1 }, reason: 'why', details: 'all' }, {}],
	['of tasks', { task_id: 'CU-1', status: 'complete', checked_at: 'Monday', reason: 'b' }, {}],
	['of a table', { task_id: 'a', status: 'done', progress: 1, reason: 'b', result: 'c' }, {}],
	['what another node says of its error', { message: 'x', details: { code: 'not_found' } }, {}],
	['a status, beside a failure without a task', { status: 'todo' }, { code: 'invalid_input' }],
	['a switch for Check Price Only', { dry_run: true, prompt: 'a kite' }, {}],
])("keeps the user's own fields: %s", async (_name, fields, { code }) => {
	const failure = { error: 'x', message: 'x', details: { code, retry: false }, item_index: 0 };
	const item = { ...fields, ...(code !== undefined && failure) };
	const result = { task_id: 'task_1', status: 'completed', progress: 100 };
	const others = Object.keys(fields).filter((field) => !(field in result));

	expect(keepInput(item, result)).toMatchObject(
		Object.fromEntries(others.map((field) => [field, fields[field]])),
	);
	expect(keepInput(item, {})).toEqual(fields);
});

it('keeps the order of fields that both have', () => {
	const task = { task_id: 'task_1', status: 'completed', urls: [], progress: 100 };
	expect(Object.keys({ ...keepInput(task, task), ...task })).toEqual(Object.keys(task));
});
