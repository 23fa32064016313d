import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, retryExecution, type EngineRun } from '../../scripts/engine';
import { gatewayNode, NODE, useGateway } from '../support/gateway';
import { restartProcess } from '../support/restartProcess';

const gateway = useGateway();
const [A, B, C] = ['imgn-4.0', 'qwn-image-2.0', 'qwn-image-2.0-pro'] as const;
const paid = () =>
	gateway.sandbox
		.tasks()
		.filter(({ cost }) => cost > 0)
		.map(({ body }) => `${String(body.model)} ${String(body.prompt)}`)
		.sort();
/** Model and prompt of each row are its own. */
const node = (options: IDataObject = {}, prompt = '$json.prompt') => ({
	model: '={{ $json.model }}',
	parameters: `={{ JSON.stringify({ prompt: ${prompt} }) }}`,
	wait: 'poll',
	options: { output: 'links', concurrency: 1, ...options },
});
const rows = (...of: string[]) =>
	of.map((row) => ({ model: row.split(' ')[0], prompt: row.split(' ')[1] }));
const afterCrash = ({ run: { data } }: EngineRun, move: (items: unknown[]) => unknown) => {
	delete data.resultData.metadata;
	data.executionData!.contextData = {};
	move(data.executionData!.nodeExecutionStack[0]!.data.main![0]!);
};
const retryLater = async (failed: EngineRun, items: IDataObject[], parameters: IDataObject) => {
	restartProcess();
	Object.assign(gateway.sandbox.settings, { now: () => Date.now(), fail: () => undefined });
	const workflow = linear(itemsNode(items), gatewayNode('task:submit', parameters));
	const retried = await retryExecution(failed, workflow);
	expect(retried.status).toBe('success');
};
beforeEach(() => {
	restartProcess();
	gateway.sandbox.settings.now = () => Date.now() - 60_000;
});

describe('a Retry finds the task of a row whose request equals that of another one', () => {
	it('which has failed, and is changed before', async () => {
		let tasks = 0;
		gateway.sandbox.settings.fail = () => ((tasks += 1) === 1 ? 'no capacity' : undefined);
		const items = rows(`${A} kite`, `${A} kite`);
		const failed = await gateway.run('task:submit', node(), { items });
		expect([failed.status, paid()]).toEqual(['error', [`${A} kite`]]);
		await retryLater(failed, items, node({}, '$itemIndex ? $json.prompt : "quay"'));

		expect(paid()).toEqual([`${A} kite`, `${A} quay`]);
	});

	it.each([
		['added', {}, { fallbackModels: B }],
		['removed', { fallbackModels: B }, {}],
		['replaced', { fallbackModels: B }, { fallbackModels: C }],
	])('by a fallback model that is %s', async (_how, before, after) => {
		gateway.sandbox.settings.fail = ({ prompt }) => (prompt === 'c' ? 'no capacity' : undefined);
		const items = rows(`${A} kite`, `${B} kite`, `${A} c`);
		const failed = await gateway.run('task:submit', node(before), { items });
		expect([failed.status, paid()]).toEqual(['error', [`${A} kite`, `${B} kite`]]);
		await retryLater(failed, items, node(after));

		expect(paid()).toEqual([`${A} c`, `${A} kite`, `${B} kite`]);
	});
});

/** Then n8n hands on nothing, and earlier nodes may give the rows in another order. */
it.each([
	['as it was', (items: unknown[]) => items, { fallbackModels: B }, { fallbackModels: B }],
	['with a fallback model more', (items: unknown[]) => items, {}, { fallbackModels: B }],
	['in another order', (items: unknown[]) => items.reverse(), {}, {}],
	[
		'in another order, with a fallback model',
		(items: unknown[]) => items.reverse(),
		{ fallbackModels: B },
		{ fallbackModels: B },
	],
	[
		'without its first row',
		(items: unknown[]) => items.shift(),
		{ fallbackModels: B },
		{ fallbackModels: B },
	],
])('a Retry after a crash finds what was paid: %s', async (_how, move, before, after) => {
	gateway.sandbox.settings.fail = ({ prompt }) => (prompt === 'c' ? 'no capacity' : undefined);
	const items = rows(`${A} kite`, `${B} kite`, `${A} c`);
	const failed = await gateway.run('task:submit', node(before), { items });
	expect([failed.status, paid()]).toEqual(['error', [`${A} kite`, `${B} kite`]]);
	afterCrash(failed, move);
	await retryLater(failed, items, node(after));

	expect(paid()).toEqual([`${A} c`, `${A} kite`, `${B} kite`]);
});

it('Use It counts the rows that use it only', async () => {
	const parameters = node({ ifAlreadyMade: '={{ $json.how }}' });
	const row = { model: A, prompt: 'kite' };
	await gateway.run('task:submit', parameters, { items: [{ ...row, how: 'reuse' }] });
	gateway.sandbox.settings.now = () => Date.now();
	const items = [
		{ ...row, how: 'make' },
		{ ...row, how: 'reuse' },
	];
	const run = await gateway.run('task:submit', parameters, { items });

	expect(run.json(NODE).map(({ reused }) => reused)).toEqual([undefined, true]);
	expect(paid()).toHaveLength(2);
});
