import { callTrigger, linear, type WebhookRequest } from '../../scripts/engine';
import { typeOf } from '../../scripts/package';
import { useGateway } from '../support/gateway';

const fixture = useGateway({ taskMs: Infinity });
const AFTER = 'After';

/** Calls the trigger's production URL; gives the status of the answer and the tasks that started a run. */
async function receive(request: WebhookRequest, options = fixture.options()) {
	const trigger = {
		type: typeOf('generationGatewayTrigger'),
		name: 'Trigger',
		webhookId: 'hook',
		credentials: 'generationGatewayApi',
		parameters: {},
	};
	const workflow = linear(trigger, { type: 'n8n-nodes-base.noOp', name: AFTER });
	const { response, run } = await callTrigger(workflow, request, options);
	const ids = run?.json(AFTER).map(({ task_id }) => task_id) ?? [];
	return { status: response.status, body: response.body, ids };
}

/** A task that has ended. */
async function createEnded(): Promise<string> {
	const { data } = await fixture.submit({ model: 'imgn-4.0', prompt: 'a kite' });
	await fixture.sandbox.finish(data.task_id);
	return data.task_id as string;
}

describe('a callback', () => {
	it.each<[string, (id: string) => unknown]>([
		['JSON in a text', (id) => JSON.stringify({ task_id: id })],
		['a form whose only field is the JSON', (id) => ({ [JSON.stringify({ task_id: id })]: '' })],
		['a form with the JSON in a field', (id) => ({ payload: JSON.stringify({ task_id: id }) })],
		['a task beside the one it refers to', (id) => ({ request: { ref_task_id: 'task_old' }, id })],
	])('starts the workflow when it comes as %s', async (_name, payload) => {
		const id = await createEnded();

		expect(await receive({ body: payload(id) as never })).toEqual({
			status: 200,
			body: { received: true },
			ids: [id],
		});
	});

	it('about several tasks starts the workflow with all of them', async () => {
		const ids = [await createEnded(), await createEnded()];

		expect((await receive({ body: { tasks: ids } })).ids.sort()).toEqual(ids.sort());
	});

	it('that is faster than the status of its task is fetched again within the call', async () => {
		const { data } = await fixture.submit({ model: 'imgn-4.0', prompt: 'a kite' });
		setTimeout(() => void fixture.sandbox.finish(data.task_id), 300);

		expect((await receive({ body: { task_id: data.task_id } })).ids).toEqual([data.task_id]);
	});

	it.each([401, 402, 403, 408, 409, 425, 429, 500, 503])(
		'whose task is answered with %i is asked to come again',
		async (status) => {
			const id = await createEnded();
			fixture.sandbox.faults.add({ match: { method: 'GET' }, times: 99, kind: { status } });

			expect(await receive({ body: { task_id: id } })).toMatchObject({ status: 503, ids: [] });
		},
	);

	it('is asked to come again while the credential is missing or has no address', async () => {
		const id = await createEnded();
		const options = fixture.options();
		const wrong = { generationGatewayApi: { baseUrl: 'nowhere', apiKey: 'x' } };

		expect(
			(await receive({ body: { task_id: id } }, { ...options, credentials: wrong })).status,
		).toBe(503);
		expect((await receive({ body: { task_id: id } }, { ...options, credentials: {} })).status).toBe(
			503,
		);
	});
});
