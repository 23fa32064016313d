import { findNamedTasks, findTaskIds } from '../../../nodes/gateway/callbacks/taskIds';

/** The value, so many objects deep. */
const nest = (value: unknown, depth: number): unknown =>
	depth ? { data: nest(value, depth - 1) } : value;

describe('the tasks a callback may be about', () => {
	it.each([
		['a task object', { task_id: 'task_1', status: 'completed' }, ['task_1']],
		['a task inside data', { code: 'success', data: { task_id: 'task_1' } }, ['task_1']],
		['the legacy style', { code: 'success', data: 'task_1' }, ['task_1']],
		[
			'an event with the task under another name',
			{ event: 'task.done', object: { id: 'task-1' } },
			['task-1', 'task.done'],
		],
		['camel case', { taskId: 'task_1' }, ['task_1']],
		['a list of tasks', [{ task_id: 'task_1' }, { task_id: 'task_2' }], ['task_1', 'task_2']],
		['a query', [{}, { task_id: 'task_1' }], ['task_1']],
		['plain text', 'task_1', ['task_1']],
		['JSON as text', '{"task_id":"task_1"}', ['task_1']],
		['JSON in a field of a form', { payload: '[{"task_id":"task_1"}]' }, ['task_1']],
		['JSON as the only name of a form', { '{"task_id":"task_1"}': '' }, ['task_1']],
		['JSON within JSON', { body: JSON.stringify({ data: '{"task_id":"task_1"}' }) }, ['task_1']],
	])('are found in %s', (_name, payload, ids) =>
		expect(findTaskIds(payload).sort()).toEqual(ids.sort()),
	);

	it.each(['task_id', 'taskId', 'id'])('are any text under %s that Task > Get takes', (name) => {
		for (const id of ['task:9f3', 'task_9f3=', 'task_9f3~1', 'task|9', 'task_9f3+a', 'task_ä'])
			expect(findTaskIds({ [name]: id, source: id })).toEqual([id]);
		for (const text of ['task one', 'task/1', 'task?x=1', 'task#1', 'task', 'job:1'])
			expect([text, findTaskIds({ [name]: text })]).toEqual([text, []]);
	});

	it('are only plain ones under other names, which may hold a sentence or a link', () => {
		expect(findTaskIds({ source: 'task:9f3', data: 'task_1' })).toEqual(['task_1']);
	});

	it.each(['task', 'tasks', 'taskIds', 'id'])(
		'may be a word under %s, beside an ID that is plain',
		(name) => {
			const payload = { [name]: 'task:generate', data: { id: 'task_1' } };

			expect(findNamedTasks(payload).map(({ id, isLikeliest }) => [id, isLikeliest])).toEqual([
				['task_1', true],
				['task:generate', false],
			]);
		},
	);

	it('begin with what stands under task_id', () => {
		expect(findTaskIds({ parent: 'task_0', source: 'task_9', task_id: 'task_1' })).toEqual([
			'task_1',
			'task_0',
			'task_9',
		]);
	});

	it('leave out the task that another one extends', () => {
		expect(findTaskIds({ task_id: 'task_1', parameters: { ref_task_id: 'task_0' } })).toEqual([
			'task_1',
		]);
	});

	it('begin with task_id, also before an id and a list of tasks', () => {
		const payload = { source: 'task_9', tasks: ['task_2'], id: 'task_3', taskId: 'task_1' };

		expect(findTaskIds(payload)[0]).toBe('task_1');
		expect(findTaskIds(payload).at(-1)).toBe('task_9');
	});

	it('are named once', () => {
		expect(
			findTaskIds({ task_id: 'task_1', urls: { id: 'task_1' }, data: { task_id: 'task_1' } }),
		).toEqual(['task_1']);
	});

	it.each([
		['links', { url: 'https://example.com/v1/tasks/task_1' }],
		['text with spaces or slashes', { a: 'task one', b: 'task/../1', c: 'tasks?x=1' }],
		['IDs of other things', { task_id: 'job_1', id: 7 }],
		['texts beyond 200 characters', { task_id: `task${'x'.repeat(201)}` }],
		['nothing', undefined],
		['null', null],
		['a number', 7],
		['an empty body', {}],
		['what a request refers to', { ref_task_id: 'task_0', ref_tasks: ['task_1'] }],
		['text that only begins like JSON', '{task_1'],
	])('are not seen in %s', (_name, payload) => expect(findTaskIds(payload)).toEqual([]));

	it('are found six levels deep', () => {
		expect(findTaskIds(nest('task_1', 6))).toEqual(['task_1']);
		expect(findTaskIds(nest('task_1', 7))).toEqual([]);
		expect(() => findTaskIds(nest('task_1', 5000))).not.toThrow();
	});

	it('are five at most, so that a forged callback costs few polls', () => {
		expect(findTaskIds(Array.from({ length: 50 }, (_, n) => `task_${n}`))).toHaveLength(5);
	});

	it.each([
		['behind a long result', { result: { points: Array(6_000).fill(0) }, task_id: 'task_1' }],
		['before a long list', { data: { task: { id: 'task_1' } }, points: Array(600).fill(0) }],
	])('are found %s', (_name, payload) => expect(findTaskIds(payload)).toEqual(['task_1']));

	it('are found in the first 5,000 values', () => {
		expect(findTaskIds([...Array(4_998).fill(0), 'task_1'])).toEqual(['task_1']);
		expect(findTaskIds([...Array(6_000).fill(0), 'task_1'])).toEqual([]);
	});
});
