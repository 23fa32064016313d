import type { IDataObject } from 'n8n-workflow';
import { resources } from '../../nodes/GenerationGateway/actions';
import { file, itemsNode, linear, retryExecution } from '../../scripts/engine';
import { binaryDataService } from '../../scripts/engine/container';
import { packageWith } from '../../scripts/package';
import { startSandbox } from '../../sandbox';
import { gatewayNode, modelId, NODE, PHOTO, useGateway, type Menu } from '../support/gateway';
import { restartProcess } from '../support/restartProcess';

const gateway = useGateway({ assetReviewMs: 0 });
beforeEach(restartProcess);

const chat = (model: string) => ({
	model: modelId(model),
	messages: { entry: [{ role: 'user', text: '={{ $json.name }}' }] },
});
const recording = { model: modelId('asr-1') };
/** Every operation that pays for or changes something without a key of the gateway. */
const WITHOUT_KEY: Record<Menu, IDataObject> = {
	'text:chat': chat('gp-5-mini'),
	'text:respond': chat('gp-5-mini'),
	'text:message': chat('cld-haiku-4.5'),
	'text:generateContent': chat('gmn-2.5-flash'),
	'audio:transcribe': recording,
	'audio:translate': recording,
	'embedding:create': {
		model: modelId('text-embedding-3-small'),
		input: '={{ $json.name }}',
		options: { batchSize: 1, concurrency: 1 },
	},
	'asset:create': {
		assetModel: 'sdn-2.0',
		assetType: 'image',
		url: PHOTO,
		name: '={{ $json.name }}',
	},
	'asset:delete': { assetId: modelId('={{ $json.id }}') },
};
const KEYED = ['image:generate', 'video:generate', 'task:submit'];
/** They read, or may be sent again. */
const REPEATABLE = [
	...['task:await', 'task:get', 'task:cancel', 'task:contactSheet'],
	...['asset:get', 'asset:getAll', 'model:compare', 'model:getAll'],
];

it('is tested of every operation of the menu', () => {
	const menu = Object.entries(resources).flatMap(([resource, operations]) =>
		Object.keys(operations).map((operation) => `${resource}:${operation}`),
	);
	const listed = [...Object.keys(WITHOUT_KEY), ...KEYED, ...REPEATABLE];
	expect(
		menu
			.filter((name) => !listed.includes(name))
			.map((name) => `${name}: add it to WITHOUT_KEY, KEYED or REPEATABLE of this file`),
	).toEqual([]);
	expect(listed.filter((name) => !menu.includes(name))).toEqual([]);
	expect(new Set(listed).size).toBe(listed.length);
});

const isCall = ({ method, path }: { method?: string; path: string }) =>
	method === 'DELETE' || (method === 'POST' && path !== '/v1/tasks');
/** The second request is refused, for as long as this lasts. */
function refuseSecond(): () => void {
	let sent = 0;
	gateway.sandbox.faults.injection = (request) =>
		isCall(request) && (sent += 1) === 2 ? { kind: { status: 400 } } : undefined;
	return () => (gateway.sandbox.faults.injection = undefined);
}
/** Rows whose requests differ. */
async function createRows() {
	const rows = ['one', 'two', 'three'].map(async (name) => {
		const body = { model: 'sdn-2.0', type: 'image', url: PHOTO, name };
		const { id } = (await gateway.http.post('/v1/assets', body)).data as { id: string };
		const data = file(name, `${name}.mp3`, 'audio/mpeg');
		return { json: { name, id }, binary: { data } };
	});
	const items = await Promise.all(rows);
	gateway.sandbox.requests.length = 0;
	return items;
}
const calls = () => gateway.sandbox.requests.filter(isCall);

describe.each(Object.entries(WITHOUT_KEY) as [Menu, IDataObject][])(
	'Retry in the list of executions, of %s',
	(menu, parameters) => {
		it('sends only the row that has failed, in another process too', async () => {
			const items = await createRows();
			const stopRefusing = refuseSecond();
			const failed = await gateway.run(menu, parameters, { items });
			expect(failed.status).toBe('error');
			expect(calls()).toHaveLength(3);
			stopRefusing();
			restartProcess();
			const retried = await retryExecution(failed);

			expect(retried.error?.message).toBeUndefined();
			expect(retried.json(NODE)).toHaveLength(3);
			expect(calls()).toHaveLength(4);
			expect(retried.hints(NODE)).toContainEqual(
				expect.objectContaining({
					message: '2 items reused from an earlier execution, not sent again',
				}),
			);
		});

		it('leaves nothing in an execution that succeeds', async () => {
			const run = await gateway.run(menu, parameters, { items: await createRows() });
			const context = run.run.data.executionData?.contextData[`node:${NODE}`];
			expect(JSON.stringify(context)).not.toContain('request');
		});
	},
);

describe('a Retry with the workflow as it is now', () => {
	it('sends the rows whose request has changed', async () => {
		const items = ['one', 'two', 'three'].map((name) => ({ name }));
		const stopRefusing = refuseSecond();
		const parameters = WITHOUT_KEY['text:chat']!;
		const failed = await gateway.run('text:chat', parameters, { items });
		stopRefusing();
		const changed = {
			...parameters,
			options: { temperature: '={{ $json.name === "one" ? 0 : 1 }}' },
		};
		const same = {
			...parameters,
			options: { temperature: '={{ $json.name === "one" ? 0 : "" }}' },
		};
		const retried = await retryExecution(
			failed,
			linear(itemsNode(items), gatewayNode('text:chat', same)),
		);
		expect(retried.status).toBe('success');
		expect(calls()).toHaveLength(3 + 2);

		const again = await retryExecution(
			failed,
			linear(itemsNode(items), gatewayNode('text:chat', changed)),
		);
		expect(again.status).toBe('success');
		expect(calls()).toHaveLength(5 + 3);
	});

	it('does not count again what the execution before has paid', async () => {
		const items = ['one', 'two', 'three', 'four'].map((name) => ({ name }));
		const stopRefusing = refuseSecond();
		const limited = { ...chat('gp-5-mini'), options: { maximumRunCost: 0.017, max_tokens: 1_000 } };
		const failed = await gateway.run('text:chat', limited, { items });
		stopRefusing();
		expect(failed.status).toBe('error');
		const retried = await retryExecution(failed);

		expect(retried.error?.message).toBeUndefined();
		expect(retried.json(NODE)).toHaveLength(4);
	});
});

it('a Retry of other texts gets nothing of a second try that had vectors of the first one', async () => {
	const random = jest.spyOn(Math, 'random').mockReturnValue(0.1);
	let refused = 0;
	gateway.sandbox.faults.injection = ({ body }) => {
		const { input } = body as { input: string[] };
		if (input.includes('bad')) random.mockReturnValue(0.9);
		const isRefused = input.includes('bad') || (input.includes('late') && (refused += 1) === 1);
		return isRefused ? { kind: { status: 400 } } : undefined;
	};
	const parameters = {
		model: modelId('text-embedding-3-small'),
		input:
			'={{ [$json.name, $json.name === "late" ? (Math.random() < 0.5 ? "red" : "blue") : "-"] }}',
		options: { batchSize: 1, concurrency: 1 },
	};
	const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	const items = [{ name: 'late' }, { name: 'bad' }];
	const failed = await gateway.run('embedding:create', parameters, { items, node });
	expect(failed.status).toBe('error');
	gateway.sandbox.faults.injection = undefined;
	gateway.sandbox.requests.length = 0;
	random.mockReturnValue(0.1);
	const retried = await retryExecution(failed).finally(() => random.mockRestore());

	expect(retried.json(NODE)).toHaveLength(2);
	const sent = calls().flatMap(({ body }) => (body as { input: string[] }).input);
	expect(sent).toContain('red');
});

it('a row with more vectors than n8n can keep takes no room from the others', async () => {
	const texts = Array.from({ length: 4_001 }, (_, at) => `text ${at}`);
	const items = [{ texts }, { texts: ['one'] }, { texts: ['two'] }];
	gateway.sandbox.faults.injection = ({ body }) =>
		(body as { input: string[] }).input.includes('two') ? { kind: { status: 400 } } : undefined;
	const model = modelId('text-embedding-3-small');
	const parameters = { model, input: '={{ $json.texts }}', options: { batchSize: 1_000 } };
	const failed = await gateway.run('embedding:create', parameters, { items });
	expect(failed.status).toBe('error');
	gateway.sandbox.faults.injection = undefined;
	gateway.sandbox.requests.length = 0;
	const retried = await retryExecution(failed);

	expect(retried.json(NODE)).toHaveLength(3);
	const sent = calls().flatMap(({ body }) => (body as { input: string[] }).input);
	expect(sent).toHaveLength(4_001 + 1);
});

it('a Retry sees the end of a review that went on after the failed execution', async () => {
	gateway.sandbox.settings.assetReviewMs = 300;
	const parameters = { ...WITHOUT_KEY['asset:create'], wait: 'none' };
	const items = await createRows();
	const stopRefusing = refuseSecond();
	const failed = await gateway.run('asset:create', parameters, { items });
	expect(failed.status).toBe('error');
	stopRefusing();
	await new Promise((resolve) => setTimeout(resolve, 400));
	const retried = await retryExecution(failed);

	expect(calls()).toHaveLength(3 + 1);
	expect(retried.json(NODE).map(({ status }) => status)).toEqual([
		'active',
		'processing',
		'active',
	]);
});

it('a Retry uploads an asset again that was deleted since', async () => {
	gateway.sandbox.settings.assetReviewMs = Infinity;
	const parameters = { ...WITHOUT_KEY['asset:create'], wait: 'none' };
	const items = await createRows();
	const stopRefusing = refuseSecond();
	const failed = await gateway.run('asset:create', parameters, { items });
	stopRefusing();
	const assets = (await gateway.http.get('/v1/assets')).data as { data: { id: string }[] };
	for (const { id } of assets.data) await gateway.http.delete(`/v1/assets/${id}`);
	gateway.sandbox.requests.length = 0;
	const retried = await retryExecution(failed);

	expect(retried.error?.message).toBeUndefined();
	expect(calls()).toHaveLength(3);
	const ids = retried.json(NODE).map(({ id }) => id as string);
	const states = ids.map(async (id) => (await gateway.http.get(`/v1/assets/${id}`)).status);
	expect(await Promise.all(states)).toEqual([200, 200, 200]);
});

it('an asset of another account is made again', async () => {
	const items = await createRows();
	const stopRefusing = refuseSecond();
	const failed = await gateway.run('asset:create', WITHOUT_KEY['asset:create']!, { items });
	stopRefusing();
	const other = await startSandbox({ assetReviewMs: 0 });
	Object.assign(failed.execution.options, packageWith(other.url, other.key));
	const retried = await retryExecution(failed).finally(() => other.close());

	expect(retried.json(NODE)).toHaveLength(3);
	expect(other.requests.filter(isCall)).toHaveLength(3);
});

/** Without its mode. */
const idOf = (binaryId: string) => binaryId.replace(/^[^:]+:/, '');

it.each([
	[
		'text:chat',
		{ ...chat('gp-5-mini'), messages: { entry: [{ role: 'user', binaryFields: 'data' }] } },
	],
	['audio:transcribe', recording],
] as [Menu, IDataObject][])(
	'a Retry of %s knows a file that n8n has moved since: one of a Webhook or Form Trigger',
	async (menu, parameters) => {
		const items = (await createRows()).map(({ json, binary }) => ({
			json,
			binary: { data: menu === 'text:chat' ? file('x', 'x.png', 'image/png') : binary.data },
		}));
		const stopRefusing = refuseSecond();
		const failed = await gateway.run(menu, parameters, { items });
		stopRefusing();
		const { nodeExecutionStack: stack } = failed.run.data.executionData!;
		for (const { binary } of stack[0]?.data.main?.[0] ?? []) {
			const from = binary!.data!.id!;
			const to = from.replace(/[^/]+\/binary_data/, 'moved/binary_data');
			await (await binaryDataService()).rename(idOf(from), idOf(to));
			binary!.data!.id = to;
		}
		const retried = await retryExecution(failed);

		expect(retried.error?.message).toBeUndefined();
		expect(calls()).toHaveLength(3 + 1);
	},
);

it('keeps the answers of an execution that was stopped', async () => {
	const items = ['one', 'two', 'three'].map((name) => ({ name }));
	const stop = new AbortController();
	gateway.sandbox.faults.injection = (request) => {
		if (!isCall(request) || calls().length < 3) return undefined;
		setImmediate(() => stop.abort());
		return { kind: 'hang', hangMs: 300 };
	};
	const stopped = await gateway.run(
		'text:chat',
		{ ...chat('gp-5-mini'), options: { concurrency: 1 } },
		{ items, engine: { signal: stop.signal } },
	);
	gateway.sandbox.faults.injection = undefined;
	expect(stopped.status).not.toBe('success');
	expect(calls()).toHaveLength(3);
	delete (stopped.execution.options as { signal?: AbortSignal }).signal;
	const retried = await retryExecution(stopped);

	expect(retried.json(NODE)).toHaveLength(3);
	expect(calls()).toHaveLength(3 + 1);
});
