import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { WebhookRequest } from '../../scripts/engine';
import { prepareContainer } from '../../scripts/engine/container';
import { callbackFor, useTrigger } from '../support/useTrigger';

const { gateway, sendCallback, task } = useTrigger();
const REPEAT = { status: 503, body: { received: false }, headers: {} };
const IGNORED = { status: 200, body: { received: true }, headers: {} };

/** What n8n's log gets. */
function spyOnWarnings() {
	prepareContainer();
	return jest.spyOn(Container.get(Logger), 'warn');
}

async function endedYesterday(): Promise<string> {
	gateway.sandbox.settings.now = () => Date.now() - 25 * 3_600_000;
	return await task('completed');
}

const polls = () => gateway.sandbox.requests.filter(({ method }) => method === 'GET');

describe('a callback', () => {
	it('starts the workflow with the task as fetched from the gateway, not as the callback claims it', async () => {
		const id = await task('completed');
		const { reply, items } = await sendCallback({
			body: {
				task_id: id,
				status: 'failed',
				cost: 0,
				result: { images: [{ url: ['https://evil.example/x.png'] }] },
			},
		});

		expect(reply).toMatchObject({ status: 200, body: { received: true } });
		expect(items).toEqual([
			expect.objectContaining({
				json: expect.objectContaining({
					task_id: id,
					status: 'completed',
					cost: 21250,
					urls: [expect.stringContaining(gateway.sandbox.url)],
				}),
			}),
		]);
		expect(polls()).toEqual([
			expect.objectContaining({
				path: `/v1/tasks/${id}`,
				headers: expect.objectContaining({ authorization: 'Bearer sandbox-key' }),
			}),
		]);
	});

	it.each<[string, (id: string) => WebhookRequest]>([
		['under data', (id) => ({ body: { code: 'success', data: { id } } })],
		['in the legacy style', (id) => ({ body: { code: 'success', data: id } })],
		['in an event', (id) => ({ body: { type: 'completed', object: { task: { taskId: id } } } })],
		['in a list', (id) => ({ body: [{ task_id: id }] as never })],
		['in the query', (id) => ({ body: {}, query: { task_id: id } })],
	])('may name its task %s', async (_name, request) => {
		const id = await task('completed');
		expect((await sendCallback(request(id))).items.map(({ json }) => json.task_id)).toEqual([id]);
	});

	it('treats succeeded as completed', async () => {
		gateway.sandbox.settings.terminalWord = 'succeeded';
		expect(
			(await sendCallback(callbackFor(await task('completed')), { events: ['completed'] })).items[0]
				?.json.status,
		).toBe('completed');
	});

	it('starts the workflow once, however often it comes', async () => {
		const id = await task('completed');
		const outcomes = [
			await sendCallback(callbackFor(id)),
			await sendCallback(callbackFor(id)),
			...(await Promise.all([sendCallback(callbackFor(id)), sendCallback(callbackFor(id))])),
		];

		expect(outcomes.map(({ items }) => items.length)).toEqual([1, 0, 0, 0]);
		expect(outcomes.map(({ reply }) => reply.status)).toEqual([200, 200, 200, 200]);
	});

	it.each<['failed' | 'cancelled' | 'completed', string[], number]>([
		['failed', ['completed', 'failed'], 1],
		['failed', ['completed'], 0],
		['cancelled', ['completed', 'failed'], 0],
		['cancelled', ['cancelled'], 1],
		['completed', ['failed'], 0],
	])(
		'of a task that ended %s counts by the events that are chosen: %j',
		async (outcome, events, started) => {
			const { items, reply } = await sendCallback(callbackFor(await task(outcome)), { events });

			expect(reply.status).toBe(200);
			expect(items.map(({ json }) => json.status)).toEqual(Array(started).fill(outcome));
		},
	);
});

describe('Events that an expression leaves without a list', () => {
	it('make n8n fail, and the callback that comes again after the correction starts the workflow', async () => {
		const callback = callbackFor(await task('completed'));
		const wrong = await sendCallback(callback, { events: '={{ undefined }}' });
		const corrected = await sendCallback(callback);

		expect(wrong.reply).toMatchObject({
			status: 500,
			body: { message: 'Events must be a list, e.g. completed and failed' },
		});
		expect(corrected.items).toHaveLength(1);
	});
});

describe('a callback that starts nothing', () => {
	it.each<[string, () => Promise<WebhookRequest>]>([
		['about a task that ended a day ago', async () => callbackFor(await endedYesterday())],
		['about no task', async () => ({ body: { hello: 'world' } })],
		['with an empty body', async () => ({})],
	])('%s gets the same answer as any other that needs no repeat', async (_name, request) => {
		const { reply, run } = await sendCallback(await request());

		expect(run).toBeUndefined();
		expect(reply).toEqual(IGNORED);
	});

	it.each<[string, () => Promise<WebhookRequest>]>([
		['about a task that runs', async () => callbackFor(await task())],
		['about an unknown task', async () => callbackFor('task_forged')],
		[
			'about a task of another account',
			async () => {
				const { data } = await gateway.submit(
					{ model: 'imgn-4.0', prompt: 'x' },
					{ authorization: 'Bearer other-key' },
				);
				await gateway.sandbox.finish(data.task_id);
				return callbackFor(data.task_id);
			},
		],
		[
			'about a task that cannot be fetched',
			async () => {
				gateway.sandbox.faults.add({ match: { method: 'GET' }, times: 9, kind: { status: 500 } });
				return callbackFor(await task('completed'));
			},
		],
	])('%s is to come again, which is one answer for all', async (_name, request) => {
		const { reply, run } = await sendCallback(await request());

		expect(run).toBeUndefined();
		expect(reply).toEqual(REPEAT);
	});

	it.each<[string, string, () => Promise<string>, object]>([
		[
			'whose key is refused',
			'The gateway does not accept the API key',
			() => task('completed'),
			{ status: 401 },
		],
		[
			'whose gateway fails',
			'The gateway could not process the request',
			() => task('completed'),
			{ status: 500 },
		],
		[
			'about an unknown task',
			'The gateway does not know this ID',
			async () => 'task_forged',
			{ status: 404 },
		],
	])("says in n8n's log what is wrong: a callback %s", async (_name, reason, createTask, kind) => {
		const warn = spyOnWarnings();
		const id = await createTask();
		gateway.sandbox.faults.add({ match: { method: 'GET' }, times: 9, kind: kind as never });
		await sendCallback(callbackFor(id));

		expect(warn.mock.calls).toEqual([
			[
				expect.stringMatching(
					`^Generation Gateway Trigger: a callback cannot be confirmed. "${id}": ${reason}`,
				),
			],
		]);
		warn.mockRestore();
	});

	it('says in the log why a task that ended long ago starts no workflow: the clock of this n8n may be wrong', async () => {
		const warn = spyOnWarnings();
		const id = await endedYesterday();
		await sendCallback(callbackFor(id));

		expect(warn.mock.calls).toEqual([
			[expect.stringMatching(`${id} starts no workflow, since it ended more than 24 hours ago`)],
		]);
		warn.mockRestore();
	});

	it('says nothing where the task still runs, or the callback needs no repeat', async () => {
		const warn = spyOnWarnings();
		const id = await task('completed');
		await sendCallback(callbackFor(await task()));
		await sendCallback({ body: { event: 'task.completed', task_id: id, text: 'task_of_the_day' } });

		expect(warn).not.toHaveBeenCalled();
		warn.mockRestore();
	});

	it('costs five polls at most', async () => {
		await sendCallback({ body: { ids: Array.from({ length: 100 }, (_, n) => `task_${n}`) } });
		expect(polls()).toHaveLength(5);
	});
});

describe('the secret', () => {
	const secret = 'kite-7f3a';

	it.each([
		[`/webhook/hook/${secret}`, secret, 1],
		[`/webhook/hook/${secret}/`, secret, 1],
		['/webhook/hook/kite-7f3b', secret, 0],
		['/webhook/hook/kite', secret, 0],
		['/', secret, 0],
		['/webhook/hook/callback', '', 1],
	])('is the last part of the path: %s with "%s"', async (path, given, started) => {
		const { reply, items } = await sendCallback(
			{ ...callbackFor(await task('completed')), path },
			{ secret: given },
		);

		expect(items).toHaveLength(started);
		expect(reply).toMatchObject({ status: 200, body: { received: true } });
		if (!started) expect(polls()).toEqual([]);
	});
});

describe('a gateway that cannot be reached', () => {
	it.each([
		[{ status: 503 }, 3],
		[{ status: 401 }, 1],
	])(
		'makes the sender repeat the callback, which then starts the workflow: %j',
		async (kind, tries) => {
			const id = await task('completed');
			gateway.sandbox.faults.add({ match: { method: 'GET' }, times: tries, kind });
			const first = await sendCallback(callbackFor(id));
			const second = await sendCallback(callbackFor(id));

			expect(first).toMatchObject({
				reply: { status: 503, body: { received: false } },
				run: undefined,
			});
			expect(second.items).toHaveLength(1);
			expect(polls()).toHaveLength(tries + 1);
		},
	);
});

describe('a gateway that does not answer', () => {
	it('is asked again within seconds, because the sender waits', async () => {
		const id = await task('completed');
		gateway.sandbox.faults.add({ match: { method: 'GET' }, kind: 'hang' });

		expect((await sendCallback(callbackFor(id))).items).toHaveLength(1);
		expect(polls()).toHaveLength(2);
	});
});
