import type { IExecuteFunctions } from 'n8n-workflow';
import type * as Claims from '../../../nodes/GenerationGateway/account/taskClaim';
import { createDeduplicator } from '../../../scripts/engine/deduplicator';

/** A worker that has just been started. */
function startWorker(): typeof Claims {
	let started!: typeof Claims;
	jest.isolateModules(() => {
		started = jest.requireActual<typeof Claims>(
			'../../../nodes/GenerationGateway/account/taskClaim',
		);
	});
	return started;
}

/** What n8n keeps, for all workers. */
const table = createDeduplicator();
const place = { workflow: { id: 'workflow' }, node: { id: 'node' } };

function createRun(executionId: string, { isSaved = true } = {}): IExecuteFunctions {
	const checkProcessedAndRecord = async (entries: string[], scope: 'node', options: never) => {
		if (!isSaved) throw new Error('The workflow has no ID');
		return await table.checkProcessedAndRecord(entries, scope, place as never, options);
	};
	const context = {
		getExecutionId: () => executionId,
		getWorkflow: () => place.workflow,
		getNode: () => place.node,
		helpers: { checkProcessedAndRecord },
	};
	return context as unknown as IExecuteFunctions;
}

describe('a task that several executions claim', () => {
	it.each([2, 4])('at the same moment, on %i workers, belongs to one of them', async (count) => {
		const taskId = `task_${count}`;
		const claims = Array.from({ length: count }, (_, at) => {
			const { claimTask } = startWorker();
			return claimTask(createRun(`${count}${at}`), taskId);
		});
		const areOwn = await Promise.all(claims.map(async (confirm) => await confirm()));

		expect(areOwn.filter(Boolean)).toHaveLength(1);
	});

	it('later, belongs to the first one, which may run a second time', async () => {
		const confirm = async (executionId: string) =>
			await startWorker().claimTask(createRun(executionId), 'task_later')();

		expect(await confirm('1')).toBe(true);
		expect(await confirm('2')).toBe(false);
		expect(await confirm('1')).toBe(true);
	});

	it('in a workflow that was never saved belongs to the execution', async () => {
		const { claimTask } = startWorker();
		const confirm = claimTask(createRun('1', { isSaved: false }), 'task_unsaved');

		expect(await confirm()).toBe(true);
	});
});
