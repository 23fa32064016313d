import type { GatewayRequest } from '../../nodes/gateway/request';
import { readTask } from '../../nodes/gateway/tasks/schema';
import { catchError } from '../support/gatewayClient';
import { createVirtualGateway, ok, refusal, type VirtualResponse } from '../support/virtualGateway';

const submission: GatewayRequest = {
	kind: 'submit',
	method: 'POST',
	path: '/v1/tasks',
	body: {},
	reader: { expects: 'a task', read: readTask },
};
const lost = () => {
	throw new Error('socket hang up');
};

/** The error of a submission whose attempts are answered so, in turn; the last answer repeats. */
async function errorAfter(answers: (() => VirtualResponse)[], minutes = 1) {
	const gateway = createVirtualGateway((_, index) => (answers[index] ?? answers.at(-1)!)());
	const until = gateway.clock.now() + minutes * 60_000;
	const error = await gateway.clock.run(
		catchError(gateway.client.request({ ...submission, until })),
	);
	return { ...error.details, code: error.code, attempts: gateway.requests.length };
}

const short = () => refusal(429, 'Too many', { 'retry-after': '1' });
const long = () => refusal(429, 'Too many', { 'retry-after': '3600' });

describe('a request that may have created a task', () => {
	it('says so when a refusal came before the lost reply and another one after it', async () => {
		expect(await errorAfter([short, lost, long])).toMatchObject({
			code: 'rate_limited',
			attempts: 3,
			billed: undefined,
			may_have_executed: true,
			retry_after: 3600,
		});
	});

	it.each([500, 504, 408, 409, 425])('says so after %d and a refusal', async (status) => {
		expect(await errorAfter([() => refusal(status), long])).toMatchObject({
			code: 'rate_limited',
			attempts: 2,
			billed: undefined,
			may_have_executed: true,
		});
	});

	it.each([
		['a reply that is lost', lost],
		['500', () => refusal(500)],
		['409', () => refusal(409)],
	])('says so when each attempt ends with %s', async (_, answer) => {
		expect(await errorAfter([answer])).toMatchObject({ may_have_executed: true });
		expect((await errorAfter([answer])).billed).toBeUndefined();
	});

	it('says so when it waits for its turn until its deadline', async () => {
		expect(await errorAfter([lost, short], 0.2)).toMatchObject({
			code: 'rate_limited',
			billed: undefined,
			may_have_executed: true,
		});
	});

	it('says so when 400 ends it', async () => {
		expect(await errorAfter([lost, () => refusal(400)])).toMatchObject({
			code: 'bad_request',
			billed: undefined,
			may_have_executed: true,
		});
	});
});

describe('a request that has created nothing', () => {
	it('says so after refusals', async () => {
		const details = await errorAfter([short, short, long]);

		expect(details).toMatchObject({ code: 'rate_limited', billed: 0 });
		expect(details).not.toHaveProperty('may_have_executed');
	});

	it.each([502, 503, 529])('may be billed after %d, but was not carried out', async (status) => {
		const details = await errorAfter([() => refusal(status), long]);

		expect(details).toMatchObject({ code: 'rate_limited', billed: undefined });
		expect(details).not.toHaveProperty('may_have_executed');
	});
});

describe('an error that is answered with a status of 200', () => {
	it.each([400, '400', 402, 404])('counts like a status: %p', async (code) => {
		const details = await errorAfter([() => ok({ error: { code, message: 'No' } })]);

		expect(details).toMatchObject({ attempts: 1, billed: 0, http_status: Number(code) });
	});

	it('is waited out when its code is 429', async () => {
		const answers = [() => ok({ error: { code: 429 } }), () => refusal(400)];

		expect(await errorAfter(answers)).toMatchObject({ code: 'bad_request', attempts: 2 });
	});

	it('is an unreadable response when its code is a word', async () => {
		const details = await errorAfter([() => ok({ error: { code: 'busy' } })]);

		expect(details).toMatchObject({ code: 'unreadable_response', may_have_executed: true });
	});
});
