import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { RowMemory } from '../../../nodes/GenerationGateway/account/rowMemory';

/** A node in one execution, with Retry On Fail. `stored`: what n8n has kept of the failed execution. */
function createNode({
	type = 'generationGateway',
	executionId = '7',
	stored = {},
}: { type?: string; executionId?: string; stored?: IDataObject } = {}) {
	const ofNode = structuredClone(stored);
	const context = {
		getNode: () => ({ type, retryOnFail: true }),
		getExecutionId: () => executionId,
		getContext: () => ofNode,
	} as unknown as IExecuteFunctions;
	return {
		ofNode,
		/** Finds the first row for a request. Without an answer the try is refused before it sends. */
		run(request: string, { answer, pass = 0 }: { answer?: string; pass?: number } = {}) {
			const rows = new RowMemory(context, pass);
			const row = rows.find(0, request);
			const known = row.outputs?.[0]?.json.text;
			if (answer === undefined) return known;
			rows.begin();
			if (answer) row.outputs ??= [{ json: { text: answer } }];
			return known;
		},
	};
}

it('gives the next try of a row what it has paid for, also for another request', () => {
	const node = createNode();
	node.run('a red kite', { answer: 'red' });
	expect(node.run('a blue kite')).toBe('red');
});

it('gives a run where n8n keeps no execution nothing of another one', () => {
	const node = createNode({ executionId: '' });
	node.run('a red kite', { answer: 'red' });
	expect(node.run('a red kite')).toBeUndefined();
});

it('keeps the calls of a tool apart, which run side by side', () => {
	const node = createNode({ type: 'generationGatewayTool' });
	node.run('a red kite', { answer: 'red' });
	expect(node.run('a red kite', { answer: 'another red', pass: 1 })).toBeUndefined();
	expect(node.run('a red kite')).toBe('red');
});

describe('a Retry', () => {
	const failed = createNode();
	failed.run('a red kite', { answer: 'red' });
	const retry = (stored = failed.ofNode) => createNode({ executionId: '8', stored });

	it('that is refused before it sends leaves all for the next one', () => {
		const refused = retry();
		expect(refused.run('a blue kite')).toBeUndefined();
		expect(retry(refused.ofNode).run('a red kite')).toBe('red');
	});

	it('gives its second try nothing that its first one has not found', () => {
		const retried = retry();
		new RowMemory({ ...contextOf(retried) }, 0).begin();
		expect(retried.run('a blue kite')).toBeUndefined();
	});

	it('knows what a second try has paid for by the request of that try', () => {
		const node = createNode();
		node.run('a red kite', { answer: '' });
		node.run('a blue kite', { answer: 'blue' });
		expect(retry(node.ofNode).run('a red kite')).toBeUndefined();
		expect(retry(node.ofNode).run('a blue kite')).toBe('blue');
	});
});

it('tells what the tries of a run have made, and nothing of another run', () => {
	const node = contextOf(createNode({ type: 'generationGatewayTool' }));
	const keep = (pass: number, index: number, charge: object) =>
		new RowMemory(node, pass).keepPlan({ index, reservation: { charge } } as never);
	keep(0, 0, { task: 'made', taskId: 'task_0' });
	keep(1, 0, { task: 'made', taskId: 'task_1' });
	keep(1, 1, { task: 'unclear' });
	keep(1, 2, { task: 'none', taskId: 'task_2' });
	keep(1, 3, { task: 'made', taskId: 'task_3', maker: 'other' });

	expect(new RowMemory(node, 1).made).toEqual({ taskIds: ['task_1'], unclear: [1] });
});

it('drops the rows of an earlier pass of a loop', () => {
	const node = createNode();
	node.run('a red kite', { answer: 'red' });
	node.run('a blue kite', { answer: 'blue', pass: 1 });
	expect(Object.keys(node.ofNode.generationGatewayRows as object)).toEqual(['1 0']);
});

it('keeps the number of a row among equal ones, whatever request the other rows have had since', () => {
	const node = createNode();
	const numbers = (requests: string[], of = node, pass = 0) =>
		requests.map((request, row) =>
			Number(new RowMemory(contextOf(of), pass).assignNumber(row, request)),
		);
	expect(numbers(['kite', 'kite', 'kite'])).toEqual([0, 1, 2]);
	expect(numbers(['quay', 'kite', 'kite'])).toEqual([0, 1, 2]);

	const retried = createNode({ executionId: '8', stored: node.ofNode });
	expect(numbers(['quay', 'quay', 'kite', 'kite'], retried)).toEqual([0, 1, 2, 3]);
	expect(numbers(['kite', 'kite', 'kite'], retried)).toEqual([0, 1, 2]);
	// Another pass of a loop has tasks of its own, in a Retry, too.
	expect(numbers(['quay', 'pier'], retried, 1)).toEqual([2, 0]);
	expect(numbers(['quay', 'pier'], createNode({ stored: retried.ofNode }), 1)).toEqual([2, 0]);
	// After a crash, a row may come in another one.
	expect(numbers(['pier', 'kite'], createNode())).toEqual([0, 0]);
});

it('numbers fallback models apart, and knows one that has become the chosen model', () => {
	const rows = new RowMemory(contextOf(createNode()), 0);
	const assigned = [
		rows.assignNumber(0, 'kite', true),
		rows.assignNumber(1, 'kite'),
		rows.assignNumber(0, 'kite'),
		rows.assignNumber(1, 'kite', true),
	];
	expect(assigned).toEqual(['fallback 0', '0', 'fallback 0', '0']);
});

it('keeps 4,000 vectors at most', () => {
	const rows = new RowMemory(contextOf(createNode()), 0);
	expect([rows.hasRoomFor(3_000), rows.hasRoomFor(1_000), rows.hasRoomFor(1)]).toEqual([
		true,
		true,
		false,
	]);
});

const contextOf = ({ ofNode }: ReturnType<typeof createNode>) =>
	({
		getNode: () => ({ type: 'generationGateway', retryOnFail: true }),
		getExecutionId: () => '8',
		getContext: () => ofNode,
	}) as unknown as IExecuteFunctions;
