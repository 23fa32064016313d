import type { IncomingMessage } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { modelId, NODE } from '../support/gateway';
import { restartProcess } from '../support/restartProcess';
import { json, useStubGateway } from '../support/stubGateway';

const stub = useStubGateway();
beforeEach(restartProcess);

const COST = 5;
/** A request that waits longer finds its task completed. */
const TASK_SECONDS = 3;
const result = { images: [{ url: ['https://files.example.com/a.png'] }] };

/**
 * A gateway whose tasks are named in the order in which they are made. It needs no time: what waits long enough
 * is answered as if the time had passed, and so is every poll.
 */
function startGateway({
	keepsKeys,
	cancel = () => ({ status: 'cancelled' }),
	refuse = () => false,
}: {
	keepsKeys: boolean;
	/** What a cancel changes of a task that runs. Undefined: it is answered with 404. */
	cancel?: () => IDataObject | undefined;
	/** Requests that wait and are answered with 500. */
	refuse?: () => boolean;
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
	stub.answer = (response, _body, request) => {
		const { method, url = '', headers } = request;
		if (method === 'POST' && url.endsWith('/v1/tasks'))
			return headers.prefer && refuse() ? json(response, {}, 500) : json(response, submit(request));
		const task = tasks.get(/task_\d+/.exec(url)![0])!;
		if (method === 'GET') complete(task);
		else if (task.status === 'queued') {
			const change = cancel();
			if (!change) return json(response, {}, 404);
			Object.assign(task, change);
		}
		json(response, task);
	};
	return { waits, statuses: () => [...tasks.values()].map(({ status }) => status) };
}

const generate = async (rows = 1) => {
	const options = { output: 'links', concurrency: 3 };
	const parameters = { model: modelId('imgn-4.0'), prompt: 'a kite', options };
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
		startGateway({ keepsKeys: false, cancel: () => undefined });

		expect(await hints()).toContainEqual(
			'The gateway made a second task for one Idempotency Key. task_2 could not be cancelled. Look at it with Task &gt; Get',
		);
	});

	it('is paid for one task a row: one short request shows it, and no other one waits', async () => {
		const { waits, statuses } = startGateway({ keepsKeys: false });
		await generate(3);
		await generate(3);

		expect(statuses().sort()).toEqual(['cancelled', ...Array<string>(6).fill('completed')]);
		expect(waits).toEqual(['wait=1']);
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
});
