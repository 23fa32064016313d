import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { packageWith, typeOf } from '../../scripts/package';

type Seen = typeof import('../../nodes/GenerationGatewayTrigger/seen');

/** The module as a process that has just started has it. */
function newProcess(): Seen {
	let seen: Seen | undefined;
	jest.isolateModules(
		() => (seen = jest.requireActual<Seen>('../../nodes/GenerationGatewayTrigger/seen')),
	);
	return seen!;
}
const copyOf = (saved: IDataObject) => structuredClone(saved);

describe('the tasks a trigger has started for', () => {
	it.each(['first', 'second'])(
		'survives a kill, though n8n keeps only the %s of two copies that were made at once',
		(kept) => {
			const { isFirst, keep } = newProcess();
			const copies: IDataObject[] = [{}, {}];
			copies.forEach((copy, at) => expect(isFirst(copy, 'trigger', `task_${at}`)).toBe(true));
			copies.forEach((copy) => keep(copy, 'trigger'));

			const saved = copyOf(copies[kept === 'first' ? 0 : 1]!);
			const later = newProcess();
			expect(
				['task_0', 'task_1', 'task_2'].map((id) => later.isFirst(saved, 'trigger', id)),
			).toEqual([false, false, true]);
		},
	);

	it.each([
		[{ task_id: 'task_flat' }, 'task_flat'],
		[{ code: 'success', data: 'task_raw' }, 'task_raw'],
	])('are noted by the run itself, because n8n saves what a run changes: %j', async (json, id) => {
		const trigger = {
			type: typeOf('generationGatewayTrigger'),
			name: 'Trigger',
			credentials: 'generationGatewayApi',
		};
		const run = await runWorkflow(
			linear(itemsNode([json]), trigger),
			packageWith('http://127.0.0.1:9', 'sandbox-key'),
		);

		expect(run.json('Trigger')).toEqual([json]);
		const { staticData } = run.execution.workflow;
		expect(staticData).toMatchObject({
			__dataChanged: true,
			'node:Trigger': { seen: { [id]: expect.any(Number) } },
		});
	});

	it('are kept apart for each trigger', () => {
		const { isFirst } = newProcess();
		expect(isFirst({}, 'one', 'task_0')).toBe(true);
		expect(isFirst({}, 'other', 'task_0')).toBe(true);
	});

	it('are the last thousand of two days', () => {
		const { isFirst } = newProcess();
		const saved: IDataObject = {};
		isFirst(saved, 'trigger', 'task_old', Date.now() - 49 * 3_600_000);
		for (let at = 0; at < 1_100; at += 1)
			isFirst(saved, 'trigger', `task_${at}`, Date.now() - 1_100 + at);

		const ids = Object.keys(saved.seen as object);
		expect([ids.length, ids[0], ids.at(-1)]).toEqual([1_000, 'task_100', 'task_1099']);
	});
});
