import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import {
	confirmResume,
	startOwnChecks,
	type Stop,
} from '../../../nodes/GenerationGateway/suspend/ownChecks';
import { createPeriod } from '../../../nodes/GenerationGateway/suspend/storedSuspension';
import { CREDENTIAL, type CredentialReader } from '../../../nodes/n8n/credential';
import { systemClock } from '../../../nodes/n8n/systemClock';
import { byteStreamOf } from '../../support/byteStreamOf';
import { VirtualClock } from '../../support/virtualClock';

const HOUR_MS = 3_600_000;
const TASKS = Array.from({ length: 25 }, (_, index) => `task_${index}`);

let clock: VirtualClock;
let states: Record<string, string>;
let polled: string[];
/** When the resume link was called, in seconds after the suspension. */
let calledAt: number[];
let lastCall: IHttpRequestOptions;
/** What n8n says where it answers 409. */
let conflict: string;

/** Happens while a task is polled, or the link is called. */
let during: { poll?: () => void; call?: () => void };

/** What n8n answers the resume link with. */
let status: number;
let location: string;
/** What something before n8n answers instead. */
let page: unknown;
/** Why it does not answer. */
let failure: string | undefined;
const warn = jest.fn();

/** A node that has suspended its execution. */
function createNode(initialStatus: number): IExecuteFunctions {
	status = initialStatus;
	const startedAt = clock.now();
	return {
		getNode: () => ({ name: 'Await' }),
		getCredentials: async () => ({ apiKey: 'sk-key' }),
		logger: { debug: () => undefined, info: () => undefined, warn },
		helpers: {
			httpRequest: async (request: IHttpRequestOptions) => {
				calledAt.push((clock.now() - startedAt) / 1000);
				lastCall = request;
				during.call?.();
				if (failure) throw Object.assign(new Error('no answer'), { code: failure });
				return { statusCode: status, headers: { location }, body: page ?? { message: conflict } };
			},
			httpRequestWithAuthentication: async (
				_type: string,
				{ url, method }: { url: string; method: string },
			) => {
				const task_id = /task_\d+/.exec(url)![0];
				if (method !== 'GET') states[task_id] = 'cancelled';
				else polled.push(task_id);
				during.poll?.();
				const result = { images: ['https://example.com/a.png'] };
				const body = byteStreamOf({ task_id, status: states[task_id], result });
				return { statusCode: 200, headers: {}, body };
			},
		},
	} as unknown as IExecuteFunctions;
}

beforeEach(() => {
	clock = new VirtualClock();
	for (const at of [systemClock, Date]) jest.spyOn(at, 'now').mockImplementation(() => clock.now());
	jest.spyOn(systemClock, 'after').mockImplementation((ms, callback) => clock.after(ms, callback));
	states = Object.fromEntries(TASKS.map((id) => [id, 'processing']));
	[polled, calledAt, during] = [[], [], {}];
	conflict = 'The execution "1" is running already.';
	location = '/form-waiting/1/generation-gateway?signature=token';
	failure = page = undefined;
	for (const mock of [onOver, warn]) mock.mockClear();
});
afterEach(() => jest.restoreAllMocks());

const onOver = jest.fn();
const suspend = (
	initialStatus = 404,
	isCalledBack = true,
	cancelledOnStop: string[] = [],
): Stop => {
	const period = createPeriod(clock.now(), clock.now() + HOUR_MS, isCalledBack);
	const url = 'http://n8n/resume/generation-gateway?signature=token';
	const node = createNode(initialStatus);
	return startOwnChecks(() => node, { taskIds: TASKS, url, period, cancelledOnStop }, onOver);
};
const pass = async (seconds: number) => await clock.run(clock.sleep(seconds * 1000));

it('does not call the resume link while a task runs, and polls one task each time', async () => {
	suspend();
	await pass(300);

	expect(calledAt).toEqual([]);
	expect(polled).toEqual(Array<string>(4).fill('task_24'));
});

it('calls the resume link when all have ended, whatever became of their callbacks', async () => {
	suspend();
	await pass(20);
	for (const id of TASKS) states[id] = 'completed';
	await pass(600);

	expect(calledAt).toEqual([39]);
});

it('calls again where n8n was still saving the execution', async () => {
	for (const id of TASKS) states[id] = 'completed';
	suspend(409);
	await pass(600);

	// After 30 seconds a 409 means that the execution has gone on.
	expect(calledAt).toEqual([3, 12, 39]);
});

it.each([
	['a poll', 'poll', 0],
	['a call', 'call', 1],
] as const)('does nothing more when it is stopped during %s', async (_name, moment, calls) => {
	for (const id of TASKS) states[id] = 'completed';
	const stop = suspend(410);
	during[moment] = stop;
	await pass(600);

	expect(calledAt).toHaveLength(calls);
	expect(onOver).not.toHaveBeenCalled();
});

it('ends with the time of the suspension', async () => {
	suspend();
	await pass(2 * 3_600);
	const count = polled.length;
	await pass(48 * 3_600);

	expect(polled).toHaveLength(count);
});

it('polls as Wait Mode: Poll does where not every task calls back: a twentieth of the time late', async () => {
	suspend(404, false);
	await pass(60);
	const inFirstMinute = polled.length;
	await pass(1_740);

	expect(inFirstMinute).toBeGreaterThanOrEqual(12);
	expect(polled.length - inFirstMinute).toBeGreaterThanOrEqual(50);
	expect(polled.length - inFirstMinute).toBeLessThanOrEqual(75);
});

it('does nothing more when it is stopped during a poll that lasts until the suspension is over', async () => {
	const stop = suspend();
	during.poll = () => {
		stop();
		jest.spyOn(Date, 'now').mockImplementation(() => clock.now() + HOUR_MS);
	};
	await pass(600);

	expect(onOver).not.toHaveBeenCalled();
});

it('calls the own address of the node, without following a redirect', async () => {
	for (const id of TASKS) states[id] = 'completed';
	suspend();
	await pass(10);

	expect(lastCall).toMatchObject({
		url: 'http://n8n/resume/generation-gateway?signature=token',
		body: { suspendedFor: 'task_0' },
		disableFollowRedirect: true,
	});
});

it.each([
	[404, 'the execution waits at another node or is no more'],
	[410, 'it waits here for other tasks'],
	[307, 'it waits at a form'],
])('ends at an answer %d: %s', async (answer) => {
	for (const id of TASKS) states[id] = 'completed';
	suspend(answer);
	await pass(1_800);

	expect(calledAt).toEqual([3]);
	expect(onOver).toHaveBeenCalledTimes(1);
});

it.each([
	['ECONNREFUSED', 1],
	['ECONNABORTED', 0],
])('says in the log when n8n cannot reach itself (%s), and calls again', async (code, times) => {
	for (const id of TASKS) states[id] = 'completed';
	failure = code;
	suspend();
	await pass(4);
	expect(warn).toHaveBeenCalledTimes(times);
	if (times) expect(warn).toHaveBeenCalledWith(expect.stringContaining('Set WEBHOOK_URL'));
	failure = undefined;
	await pass(60);

	expect(onOver).toHaveBeenCalledTimes(1);
});

it.each<[string, number, unknown, string]>([
	['leads to https', 301, '', 'https://n8n/resume/generation-gateway?signature=token'],
	['leads to a login', 307, '', '/login?next=/webhook-waiting/1/generation-gateway'],
	['knows no route', 404, '404 page not found', ''],
	['knows no route, in JSON', 404, { message: 'no Route matched with those values' }, ''],
	['asks for a login', 401, '<html>Log in</html>', ''],
	['is down', 503, '<html>Service unavailable</html>', ''],
])(
	'goes on, and says so once in the log, where a proxy before n8n %s',
	async (_name, ...answer) => {
		for (const id of TASKS) states[id] = 'completed';
		suspend();
		[status, page, location] = answer;
		await pass(20);
		expect(calledAt).toEqual([3, 12]);
		expect(warn.mock.calls).toEqual([[expect.stringContaining('cannot reach its own address')]]);
		expect(onOver).not.toHaveBeenCalled();
		[status, page] = [404, undefined];
		await pass(60);

		expect(onOver).toHaveBeenCalledTimes(1);
	},
);

it('calls again soon where n8n cannot answer, e.g. while its database is away', async () => {
	suspend(503);
	await pass(200);
	for (const id of TASKS) states[id] = 'completed';
	await pass(220);
	expect(calledAt).toEqual([363, 383]);
	status = 404;
	await pass(40);

	expect(onOver).toHaveBeenCalledTimes(1);
});

it('says in the log that the tasks cannot be fetched, e.g. with a key that is revoked', async () => {
	const node = createNode(404);
	const refuse = async () => await Promise.reject(new Error('Credential not found'));
	Object.assign(node, { getCredentials: refuse });
	const send = async function (this: CredentialReader) {
		return await this.getCredentials(CREDENTIAL);
	};
	Object.assign(node.helpers, { httpRequestWithAuthentication: send });
	const period = createPeriod(clock.now(), clock.now() + HOUR_MS);
	const suspension = { taskIds: TASKS, url: 'http://n8n/resume', period, cancelledOnStop: [] };
	startOwnChecks(() => node, suspension, onOver);
	await pass(20);

	expect(warn.mock.calls[0]).toEqual([
		expect.stringMatching(
			/^Generation Gateway: task_0 of a suspended execution cannot be fetched: ./,
		),
	]);
});

it('ends when it is stopped', async () => {
	const stop = suspend();
	await pass(4);
	for (const id of TASKS) states[id] = 'completed';
	stop();
	await pass(3_600);

	expect(calledAt).toEqual([]);
	expect(polled).toEqual(['task_24']);
});

it('calls the link some minutes before the end for a last poll, until it is answered', async () => {
	suspend(503);
	await pass(2 * 3_600);

	expect(calledAt).toEqual([3_420, 3_440, 3_460, 3_480, 3_500, 3_520, 3_540, 3_560, 3_580]);
	expect(onOver).toHaveBeenCalledTimes(1);
});

describe('after a resume', () => {
	const confirm = (initialStatus: number) => {
		const onConfirmed = jest.fn();
		const period = createPeriod(clock.now(), clock.now() + 2 * HOUR_MS);
		const node = createNode(initialStatus);
		const suspension = { taskIds: TASKS, url: 'http://n8n/resume', period, cancelledOnStop: [] };
		confirmResume(() => node, suspension, onConfirmed);
		return onConfirmed;
	};

	it.each([404, 409, 410, 307])(
		'an answer %d says that the execution has gone on',
		async (answer) => {
			const onConfirmed = confirm(answer);
			await pass(3_600);

			expect(onConfirmed).toHaveBeenCalledTimes(1);
			expect(calledAt).toEqual([5]);
		},
	);

	it('it is asked ever more rarely where n8n does not say so, until the suspension is over', async () => {
		const onConfirmed = confirm(503);
		await pass(4 * 3_600);

		// Then n8n goes on by itself.
		expect(onConfirmed).toHaveBeenCalledTimes(1);
		expect(calledAt).toEqual([5, 20, 65, 200, 605, 1_820, 3_620, 5_420]);
	});
});

it('ends where what n8n gives the node is forgotten', async () => {
	const period = createPeriod(clock.now(), clock.now() + HOUR_MS);
	const url = 'http://n8n/resume';
	const suspension = { taskIds: TASKS, url, period, cancelledOnStop: [] };
	startOwnChecks(() => undefined, suspension, onOver);
	await pass(20);

	expect(onOver).toHaveBeenCalledTimes(1);
	expect(polled).toEqual([]);
});

describe('where tasks are to be cancelled on a stop', () => {
	const cancelled = () => TASKS.filter((id) => states[id] === 'cancelled');

	it('calls the link now and then, and goes on while the execution waits', async () => {
		suspend(200, true, ['task_3']);
		await pass(300);

		expect(calledAt).toEqual([3, 12, 39, 120]);
		expect(cancelled()).toEqual([]);
	});

	it('calls it as seldom where the tasks are polled often', async () => {
		suspend(200, false, ['task_3']);
		await pass(300);

		expect(calledAt.length).toBeGreaterThanOrEqual(4);
		expect(calledAt.length).toBeLessThanOrEqual(5);
	});

	it.each([
		['has ended with an error', 409, 'The execution "1" has finished with error.'],
		['was deleted', 404, 'The execution "1" does not exist.'],
	])('cancels them when n8n says that the execution %s', async (_what, answer, message) => {
		conflict = message;
		suspend(answer, true, ['task_3', 'task_7']);
		await pass(5);

		expect(cancelled()).toEqual(['task_3', 'task_7']);
		expect(onOver).toHaveBeenCalledTimes(1);
	});

	it('leaves them alone when the execution went on at the end of its time and failed later', async () => {
		suspend(200, true, ['task_3']);
		await pass(3_430);
		status = 409;
		conflict = 'The execution "1" has finished with error.';
		await pass(600);

		expect(cancelled()).toEqual([]);
		expect(onOver).toHaveBeenCalledTimes(1);
	});

	it('leaves them alone when the execution has gone on', async () => {
		suspend(409, true, ['task_3']);
		await pass(300);

		expect(cancelled()).toEqual([]);
		expect(onOver).toHaveBeenCalledTimes(1);
	});

	it.each(['processing', 'completed'])(
		'calls it as seldom where n8n cannot answer for long, and a task is %s',
		async (state) => {
			for (const id of TASKS) states[id] = state;
			suspend(503, true, ['task_3']);
			await pass(3_000);

			expect(calledAt.length).toBeLessThanOrEqual(10);
		},
	);

	it('looks again before it cancels where n8n has deleted the execution and the gateway does not answer', async () => {
		conflict = 'The execution "1" does not exist.';
		during.poll = () => {
			throw new Error('away');
		};
		suspend(404, true, ['task_3']);
		await pass(5);
		expect([cancelled(), onOver.mock.calls.length]).toEqual([[], 0]);
		during.poll = undefined;
		await pass(600);

		expect(cancelled()).toEqual(['task_3']);
		expect(onOver).toHaveBeenCalledTimes(1);
	});

	it('says in the log why it cancels the tasks of an execution that was deleted, unless it is stopped', async () => {
		conflict = 'The execution "1" does not exist.';
		suspend(404, true, ['task_3']);
		await pass(5);
		expect(warn.mock.calls).toEqual([[expect.stringContaining('nobody has deleted it')]]);

		during.poll = suspend(404, true, ['task_7']);
		await pass(300);
		expect(cancelled()).toEqual(['task_3']);
		expect(onOver).toHaveBeenCalledTimes(1);
	});

	it('leaves them alone when the execution has gone on, and n8n does not keep it', async () => {
		for (const id of TASKS) states[id] = 'completed';
		conflict = 'The execution "1" does not exist.';
		suspend(404, true, ['task_3']);
		await pass(300);

		expect(cancelled()).toEqual([]);
		expect(onOver).toHaveBeenCalledTimes(1);
	});
});
