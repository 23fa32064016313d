import { startOwnChecks } from '../../../nodes/GenerationGateway/suspend/ownChecks';
import { CREDENTIAL, type CredentialReader } from '../../../nodes/n8n/credential';
import { HOUR_MS, useSuspendedNode } from '../../support/suspendedNode';

const node = useSuspendedNode();

it('does not call the resume link while a task runs, and polls one task each time', async () => {
	node.suspend();
	await node.pass(300);

	expect(node.calledAt).toEqual([]);
	expect(node.polled).toEqual(Array<string>(4).fill('task_24'));
});

it('calls the resume link when all have ended, whatever became of their callbacks', async () => {
	node.suspend();
	await node.pass(20);
	node.setStates('completed');
	await node.pass(600);

	expect(node.calledAt).toEqual([39]);
});

it('calls again where n8n was still saving the execution', async () => {
	node.setStates('completed');
	node.suspend(409);
	await node.pass(600);

	// After 30 seconds a 409 means that the execution has gone on.
	expect(node.calledAt).toEqual([3, 12, 39]);
});

it.each([
	['a poll', 'poll', 0],
	['a call', 'call', 1],
] as const)('does nothing more when it is stopped during %s', async (_name, moment, calls) => {
	node.setStates('completed');
	const stop = node.suspend(410);
	node.during[moment] = stop;
	await node.pass(600);

	expect(node.calledAt).toHaveLength(calls);
	expect(node.onOver).not.toHaveBeenCalled();
});

it('ends with the time of the suspension', async () => {
	node.suspend();
	await node.pass(2 * 3_600);
	const count = node.polled.length;
	await node.pass(48 * 3_600);

	expect(node.polled).toHaveLength(count);
});

it('polls as Wait Mode: Poll does where not every task calls back: a twentieth of the time late', async () => {
	node.suspend(404, false);
	await node.pass(60);
	const inFirstMinute = node.polled.length;
	await node.pass(1_740);

	expect(inFirstMinute).toBeGreaterThanOrEqual(12);
	expect(node.polled.length - inFirstMinute).toBeGreaterThanOrEqual(50);
	expect(node.polled.length - inFirstMinute).toBeLessThanOrEqual(75);
});

it('does nothing more when it is stopped during a poll that lasts until the suspension is over', async () => {
	const stop = node.suspend();
	node.during.poll = () => {
		stop();
		jest.spyOn(Date, 'now').mockImplementation(() => node.clock.now() + HOUR_MS);
	};
	await node.pass(600);

	expect(node.onOver).not.toHaveBeenCalled();
});

it('calls the own address of the node, without following a redirect', async () => {
	node.setStates('completed');
	node.suspend();
	await node.pass(10);

	expect(node.lastCall).toMatchObject({
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
	node.setStates('completed');
	node.suspend(answer);
	await node.pass(1_800);

	expect(node.calledAt).toEqual([3]);
	expect(node.onOver).toHaveBeenCalledTimes(1);
});

it.each([
	['ECONNREFUSED', 1],
	['ECONNABORTED', 0],
])('says in the log when n8n cannot reach itself (%s), and calls again', async (code, times) => {
	node.setStates('completed');
	node.failure = code;
	node.suspend();
	await node.pass(4);
	expect(node.warn).toHaveBeenCalledTimes(times);
	if (times) expect(node.warn).toHaveBeenCalledWith(expect.stringContaining('Set WEBHOOK_URL'));
	node.failure = undefined;
	await node.pass(60);

	expect(node.onOver).toHaveBeenCalledTimes(1);
});

it.each<[string, number, unknown, string]>([
	['leads to https', 301, '', 'https://n8n/resume/generation-gateway?signature=token'],
	['leads to a login', 307, '', '/login?next=/webhook-waiting/1/generation-gateway'],
	['knows no route', 404, '404 node.page not found', ''],
	['knows no route, in JSON', 404, { message: 'no Route matched with those values' }, ''],
	['asks for a login', 401, '<html>Log in</html>', ''],
	['is down', 503, '<html>Service unavailable</html>', ''],
])(
	'goes on, and says so once in the log, where a proxy before n8n %s',
	async (_name, ...answer) => {
		node.setStates('completed');
		node.suspend();
		[node.status, node.page, node.location] = answer;
		await node.pass(20);
		expect(node.calledAt).toEqual([3, 12]);
		expect(node.warn.mock.calls).toEqual([
			[expect.stringContaining('cannot reach its own address')],
		]);
		expect(node.onOver).not.toHaveBeenCalled();
		[node.status, node.page] = [404, undefined];
		await node.pass(60);

		expect(node.onOver).toHaveBeenCalledTimes(1);
	},
);

it('calls again soon where n8n cannot answer, e.g. while its database is away', async () => {
	node.suspend(503);
	await node.pass(200);
	node.setStates('completed');
	await node.pass(220);
	expect(node.calledAt).toEqual([363, 383]);
	node.status = 404;
	await node.pass(40);

	expect(node.onOver).toHaveBeenCalledTimes(1);
});

it('says in the log that the tasks cannot be fetched, e.g. with a key that is revoked', async () => {
	const context = node.create(404);
	const refuse = async () => await Promise.reject(new Error('Credential not found'));
	Object.assign(context, { getCredentials: refuse });
	const send = async function (this: CredentialReader) {
		return await this.getCredentials(CREDENTIAL);
	};
	Object.assign(context.helpers, { httpRequestWithAuthentication: send });
	startOwnChecks(() => context, node.suspension(), node.onOver);
	await node.pass(20);

	expect(node.warn.mock.calls[0]).toEqual([
		expect.stringMatching(
			/^Generation Gateway: task_0 of a suspended execution cannot be fetched: ./,
		),
	]);
});

it('ends when it is stopped', async () => {
	const stop = node.suspend();
	await node.pass(4);
	node.setStates('completed');
	stop();
	await node.pass(3_600);

	expect(node.calledAt).toEqual([]);
	expect(node.polled).toEqual(['task_24']);
});

it('calls the link some minutes before the end for a last poll, until it is answered', async () => {
	node.suspend(503);
	await node.pass(2 * 3_600);

	expect(node.calledAt).toEqual([3_420, 3_440, 3_460, 3_480, 3_500, 3_520, 3_540, 3_560, 3_580]);
	expect(node.onOver).toHaveBeenCalledTimes(1);
});

it('ends where what n8n gives the node is forgotten', async () => {
	startOwnChecks(() => undefined, node.suspension(), node.onOver);
	await node.pass(20);

	expect(node.onOver).toHaveBeenCalledTimes(1);
	expect(node.polled).toEqual([]);
});
