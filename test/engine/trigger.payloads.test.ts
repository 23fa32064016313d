import { callTrigger, linear, type NodeSpec, type WebhookRequest } from '../../scripts/engine';
import { onFastClock } from '../support/fastClock';
import { NODE } from '../support/gateway';
import { json, useStubGateway } from '../support/stubGateway';
import { triggerNode, useTrigger } from '../support/useTrigger';

const { gateway, task } = useTrigger();
const stub = useStubGateway();
const AFTER = 'After';

/** Calls the trigger's production URL; gives the status of the answer and the tasks that started a run. */
async function receive(
	request: WebhookRequest,
	options = gateway.options(),
	more: Partial<NodeSpec> = {},
) {
	const trigger = { ...triggerNode({}), ...more };
	const workflow = linear(trigger, { type: 'n8n-nodes-base.noOp', name: AFTER });
	const { response, run } = await callTrigger(workflow, request, options);
	const ids = run?.json(AFTER).map(({ task_id }) => task_id) ?? [];
	return { status: response.status, body: response.body, ids };
}

const result = { images: [{ url: ['https://files.example.com/a.png'] }] };
const completed = { status: 'completed', cost: 5, result };

it('of another type, which n8n has left unread, is read all the same', async () => {
	const id = await task('completed');
	const headers = { 'content-type': 'application/octet-stream' };
	const { ids } = await receive({ headers, body: JSON.stringify({ task_id: id }), isUnread: true });

	expect(ids).toEqual([id]);
});

describe('a callback', () => {
	it.each<[string, (id: string) => unknown]>([
		['JSON in a text', (id) => JSON.stringify({ task_id: id })],
		['a form whose only field is the JSON', (id) => ({ [JSON.stringify({ task_id: id })]: '' })],
		['a form with the JSON in a field', (id) => ({ payload: JSON.stringify({ task_id: id }) })],
		['a long result before the ID', (id) => ({ result: Array(600).fill('x'), task_id: id })],
		['the name of an event beside an ID', (id) => ({ event: 'task.completed', data: id })],
		['a task beside the one it refers to', (id) => ({ request: { ref_task_id: 'task_old' }, id })],
	])('starts the workflow when it comes as %s', async (_name, payload) => {
		const id = await task('completed');

		expect(await receive({ body: payload(id) as never })).toEqual({
			status: 200,
			body: { received: true },
			ids: [id],
		});
	});

	it('about several tasks starts the workflow with all of them', async () => {
		const ids = [await task('completed'), await task('completed')];

		expect((await receive({ body: { tasks: ids } })).ids.sort()).toEqual(ids.sort());
	});

	it('about eight tasks comes again for those that were not fetched', async () => {
		const ids = await Promise.all(Array.from({ length: 8 }, async () => await task('completed')));
		const request = { body: { tasks: ids } };
		const first = await receive(request);
		const second = await receive(request);
		const third = await receive(request);

		expect([first.status, second.status, third.status]).toEqual([503, 200, 200]);
		expect(first.ids).toHaveLength(5);
		expect([...first.ids, ...second.ids].sort()).toEqual(ids.sort());
		expect(third.ids).toEqual([]);
	});

	it('about five tasks that are not wanted and a sixth one starts the workflow for the sixth', async () => {
		const unwanted = [];
		while (unwanted.length < 5) unwanted.push(await task('failed'));
		const wanted = await task('completed');
		const request = { body: { tasks: [...unwanted, wanted].map((task_id) => ({ task_id })) } };
		const parameters = { events: ['completed'] };
		const first = await receive(request, gateway.options(), { parameters });
		const second = await receive(request, gateway.options(), { parameters });

		expect([first, second]).toMatchObject([
			{ status: 503, ids: [] },
			{ status: 200, ids: [wanted] },
		]);
	});

	it('about a task that has ended and one that has not comes again for the latter', async () => {
		const ended = await task('completed');
		const { data } = await gateway.submit({ model: 'imgn-4.0', prompt: 'a kite' });
		const request = { body: { tasks: [ended, data.task_id] } };

		expect(await receive(request)).toMatchObject({ status: 503, ids: [ended] });
		await gateway.sandbox.finish(data.task_id);
		expect(await receive(request)).toMatchObject({ status: 200, ids: [data.task_id] });
	});

	it('whose task the gateway does not know yet comes again', async () => {
		const id = await task('completed');
		gateway.sandbox.faults.add({ match: { method: 'GET' }, times: 1, kind: { status: 404 } });

		expect(await receive({ body: { task_id: id } })).toMatchObject({ status: 503, ids: [] });
		expect(await receive({ body: { task_id: id } })).toMatchObject({ status: 200, ids: [id] });
	});

	it('with other texts that look like task IDs need not come again', async () => {
		const id = await task('completed');

		expect(await receive({ body: { type: 'task.completed', task_id: id } })).toMatchObject({
			status: 200,
			ids: [id],
		});
	});

	it('with the name of an event beside an ID need not come again when it is repeated', async () => {
		const body = { event: 'task.completed', data: await task('completed') };
		await receive({ body });

		expect(await receive({ body })).toMatchObject({ status: 200, ids: [] });
	});

	it('with a word under task, beside the ID, starts the workflow and need not come again', async () => {
		const body = { id: await task('completed'), task: 'task:generate' };

		expect(await receive({ body })).toMatchObject({ status: 200, ids: [body.id] });
		expect(await receive({ body })).toMatchObject({ status: 200, ids: [] });
	});

	it('with a word beside the ID, which the gateway refuses with 400, need not come again', async () => {
		stub.answer = (response, _body, { url = '' }) =>
			url.endsWith('/task_1')
				? json(response, { task_id: 'task_1', ...completed })
				: json(response, { error: { code: 400, message: 'A task ID has 6 characters' } }, 400);
		const request = { body: { event: 'task.completed', task_id: 'task_1' } };
		const answers = [];
		while (answers.length < 2)
			answers.push(await receive(request, stub.options(), { id: 'refused-word' }));

		expect(answers).toMatchObject([
			{ status: 200, ids: ['task_1'] },
			{ status: 200, ids: [] },
		]);
	});

	it('about a task that has ended and one that is not known yet comes again', async () => {
		const id = await task('completed');

		expect(await receive({ body: { tasks: [id, 'task_later'] } })).toMatchObject({
			status: 503,
			ids: [id],
		});
	});

	it('of a task that has started the workflow makes no request', async () => {
		const id = await task('completed');
		await receive({ body: { task_id: id } });
		const { length } = gateway.sandbox.requests;

		expect(await receive({ body: { task_id: id } })).toMatchObject({ status: 200, ids: [] });
		expect(gateway.sandbox.requests).toHaveLength(length);
	});

	it('that is faster than the status of its task is fetched again within the call', async () => {
		const { data } = await gateway.submit({ model: 'imgn-4.0', prompt: 'a kite' });
		setTimeout(() => void gateway.sandbox.finish(data.task_id), 300);

		expect((await receive({ body: { task_id: data.task_id } })).ids).toEqual([data.task_id]);
	});

	it.each([401, 402, 403, 408, 409, 425, 429, 500, 503])(
		'whose task is answered with %i is asked to come again',
		onFastClock(async (status) => {
			const id = await task('completed');
			gateway.sandbox.faults.add({ match: { method: 'GET' }, times: 99, kind: { status } });

			expect(await receive({ body: { task_id: id } })).toMatchObject({ status: 503, ids: [] });
		}),
	);

	it('is asked to come again while the credential is missing or has no address', async () => {
		const id = await task('completed');
		const options = gateway.options();
		const wrong = { generationGatewayApi: { baseUrl: 'nowhere', apiKey: 'x' } };

		// Triggers of their own: what was read of a credential serves a trigger for some seconds.
		for (const [at, credentials] of [wrong, {}].entries()) {
			const { status } = await receive(
				{ body: { task_id: id } },
				{ ...options, credentials },
				{
					id: `without-${at}`,
				},
			);
			expect(status).toBe(503);
		}
	});
});

it.each(['task:9f3', 'task_9f3=', 'task_9f3~1', 'task|9', 'task_9f3+a', 'task_ä'])(
	'a callback about %p starts the workflow, as Task > Get reads that ID',
	async (id) => {
		stub.answer = (response) => json(response, { task_id: id, ...completed });
		const read = await stub.run('task:get', { taskId: id });
		const { ids } = await receive({ body: { task_id: id } }, stub.options(), { id });

		expect([read.json(NODE)[0]!.task_id, ...ids]).toEqual([id, id]);
	},
);
