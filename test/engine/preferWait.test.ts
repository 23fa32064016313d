import type { IncomingMessage } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { systemClock } from '../../nodes/n8n/systemClock';
import { onFastClock } from '../support/fastClock';
import { modelId, NODE } from '../support/gateway';
import { restartProcess } from '../support/restartProcess';
import { json, useStubGateway } from '../support/stubGateway';
import { delay, until } from '../support/useSandbox';

const stub = useStubGateway();
beforeEach(restartProcess);

const COST = 5;
/** A request that waits longer finds its task completed. */
const TASK_SECONDS = 3;
const LINKS = ['https://files.example.com/a.png'];
const result = { images: [{ url: LINKS }] };

/**
 * A gateway whose tasks are named in the order in which they are made. It needs no time: what waits long enough
 * is answered as if the time had passed, and so is every poll.
 */
function startGateway({
	keepsKeys,
	cancel = () => ({ status: 'cancelled' }),
	refuse = () => false,
	hidesResult = false,
}: {
	keepsKeys: boolean;
	/** What a cancel changes of a task that runs, or the status that it is refused with. */
	cancel?: () => IDataObject | number;
	/** Requests that wait and are answered with 500. */
	refuse?: () => boolean | Promise<boolean>;
	/** Requests that wait find their task completed, without its result. */
	hidesResult?: boolean;
}) {
	const tasks = new Map<string, IDataObject>();
	const taskOfKey = new Map<string, IDataObject>();
	/** `Prefer` of the requests that have one, oldest first. */
	const waits: string[] = [];
	const create = () => {
		const task_id = `task_${tasks.size + 1}`;
		const task: IDataObject = { task_id, status: 'queued', cost: 0 };
		tasks.set(task_id, task);
		return task;
	};
	const complete = (task: IDataObject) =>
		task.status === 'queued' && Object.assign(task, { status: 'completed', cost: COST, result });
	const submit = ({ headers }: IncomingMessage) => {
		const key = String(headers['idempotency-key']);
		const task = (keepsKeys && taskOfKey.get(key)) || create();
		taskOfKey.set(key, task);
		if (headers.prefer) waits.push(String(headers.prefer));
		const seconds = Number(/wait=(\d+)/.exec(String(headers.prefer))?.[1] ?? 0);
		if (seconds >= TASK_SECONDS) complete(task);
		return task;
	};
	stub.answer = async (response, _body, request) => {
		const { method, url = '', headers } = request;
		if (method === 'POST' && url.endsWith('/v1/tasks')) {
			if (headers.prefer && (await refuse())) return json(response, {}, 500);
			const task = submit(request);
			if (!headers.prefer || !hidesResult) return json(response, task);
			return json(response, { ...task, status: 'completed', cost: COST, result: undefined });
		}
		const task = tasks.get(/task_\d+/.exec(url)![0])!;
		if (method === 'GET') complete(task);
		else if (task.status === 'queued') {
			const change = cancel();
			if (typeof change === 'number')
				return json(response.setHeader('retry-after', '10'), {}, change);
			Object.assign(task, change);
		}
		json(response, task);
	};
	return { waits, statuses: () => [...tasks.values()].map(({ status }) => status) };
}

const kite = (options: IDataObject = {}) => ({
	model: modelId('imgn-4.0'),
	prompt: 'a kite',
	options: { output: 'links', concurrency: 3, ...options },
});
const generate = async (rows = 1) => {
	const parameters = kite();
	const items = Array.from({ length: rows }, () => ({}));
	const run = await stub.run('image:generate', parameters, { items });
	expect(run.json(NODE).map(({ status }) => status)).toEqual(items.map(() => 'completed'));
	return run;
};

describe('a gateway that ignores the key', () => {
	const hints = async () => {
		const run = await generate();
		expect(run.json(NODE)).toMatchObject([{ task_id: 'task_1' }]);
		return run.hints(NODE).map(({ message }) => message);
	};

	it('has its second task cancelled', async () => {
		startGateway({ keepsKeys: false });

		expect(await hints()).toContainEqual(
			'The gateway made a second task for one Idempotency Key. task_2 was cancelled',
		);
	});

	it('fails no row when its second task cannot be cancelled, and the user learns its ID', async () => {
		startGateway({ keepsKeys: false, cancel: () => 404 });

		expect(await hints()).toContainEqual(
			'The gateway made a second task for one Idempotency Key. task_2 could not be cancelled. Look at it with Task > Get',
		);
	});

	it('is paid for one task a row: one short request shows it, and no other one waits', async () => {
		const { waits, statuses } = startGateway({ keepsKeys: false });
		await generate(3);
		await generate(3);

		expect(statuses().sort()).toEqual(['cancelled', ...Array<string>(6).fill('completed')]);
		expect(waits).toEqual(['wait=1']);
	});

	it('shows it also where its second task is completed without a result', async () => {
		const { waits } = startGateway({ keepsKeys: false, hidesResult: true });
		await generate();
		await generate();

		expect(waits).toEqual(['wait=1']);
	});

	it('has its second task in the custom data, with what it has cost', async () => {
		const cancel = () => ({ status: 'completed', cost: COST, result });
		startGateway({ keepsKeys: false, cancel });

		expect((await generate()).run.data.resultData.metadata).toMatchObject({
			gateway_task_ids: 'task_1, task_2',
			gateway_cost_usd: '0.00002',
		});
	});

	it(
		'holds up no row for long while it refuses to cancel its second task',
		onFastClock(async () => {
			startGateway({ keepsKeys: false, cancel: () => 429 });
			const startedAt = systemClock.now();
			await stub.run('image:generate', kite({ timeout: 4 }));

			expect(systemClock.now() - startedAt).toBeLessThan(60_000);
		}),
	);

	describe('has both tasks cancelled where the user stops the execution', () => {
		const BOTH = ['cancelled', 'cancelled'];
		let user: AbortController;
		beforeEach(() => (user = new AbortController()));
		const run = async ({ statuses }: ReturnType<typeof startGateway>) => {
			await stub.run('image:generate', kite(), { engine: { signal: user.signal } });
			await until(() => statuses().join() === BOTH.join());
			return statuses();
		};

		it('during the short request', async () => {
			const refuse = async () => {
				user.abort();
				await delay(300);
				return false;
			};

			expect(await run(startGateway({ keepsKeys: false, refuse }))).toEqual(BOTH);
		});

		it(
			'while the cancellation of the second one is refused',
			onFastClock(async () => {
				const cancel = () => {
					if (user.signal.aborted) return { status: 'cancelled' };
					user.abort();
					return 429;
				};

				expect(await run(startGateway({ keepsKeys: false, cancel }))).toEqual(BOTH);
			}),
		);
	});
});

describe('a gateway that keeps keys', () => {
	it('is waited for long at once, when one short request has shown it', async () => {
		const { waits, statuses } = startGateway({ keepsKeys: true });
		await generate(3);
		expect(waits).toEqual(['wait=1', 'wait=50']);
		waits.length = 0;
		await generate(3);

		expect(waits).toEqual(Array(3).fill('wait=50'));
		expect(statuses()).toEqual(Array(6).fill('completed'));
	});

	it('shows it with the next request, where the answer to the short one was lost', async () => {
		let requests = 0;
		const { waits } = startGateway({ keepsKeys: true, refuse: () => (requests += 1) === 1 });
		await generate();
		expect([requests, waits]).toEqual([1, []]);
		await generate();

		expect(waits).toEqual(['wait=1', 'wait=50']);
	});

	it('has a task polled for its result that a waiting request finds completed without one', async () => {
		const { waits } = startGateway({ keepsKeys: true, hidesResult: true });
		const items = [...(await generate()).json(NODE), ...(await generate()).json(NODE)];

		expect(items.map(({ urls }) => urls)).toEqual([LINKS, LINKS]);
		expect(waits).toEqual(['wait=1', 'wait=50']);
	});
});
