import { textAdapters } from '../../../nodes/gateway/text';
import type { TextAdapter } from '../../../nodes/gateway/text/adapter';
import { completeText } from '../../../nodes/gateway/text/complete';
import { catchError } from '../../support/gatewayClient';
import {
	completeFrom,
	EVENTS,
	SILENCE_MS,
	STREAM_CASES,
	STREAM_ENDPOINTS,
	toEvent,
} from '../../support/streamedAnswer';
import { createBody, createVirtualGateway, ok } from '../../support/virtualGateway';

describe.each(STREAM_ENDPOINTS)('a failed stream of %s', (endpoint) => {
	const { pieces, end } = STREAM_CASES[endpoint];

	it('keeps the part that has come when the gateway reports an error', async () => {
		const failure = toEvent({ error: { message: 'The upstream is away.' } });
		const { result } = completeFrom(endpoint, [...pieces.slice(0, 2), failure, 'stall']);

		expect(await catchError(result)).toMatchObject({
			code: 'text_interrupted',
			message: 'The answer broke off: The upstream is away.',
		});
	});

	const words = 'The upstream is away.';
	it.each([
		['plain text', words],
		[
			'an object of its own type',
			JSON.stringify({ code: 500, message: words, type: 'server_error' }),
		],
	])('breaks off at an event of the name "error" with %s', async (_name, data) => {
		const failure = `event: error\ndata: ${data}\n\n`;
		const begun = completeFrom(endpoint, [...pieces.slice(0, 2), failure, end]);
		expect(await catchError(begun.result)).toMatchObject({
			code: 'text_interrupted',
			message: `The answer broke off: ${words}`,
		});
		const atOnce = await catchError(completeFrom(endpoint, [failure, end]).result);
		expect([atOnce.code, atOnce.message]).toEqual(
			data === words
				? ['text_interrupted', `The answer broke off: ${words}`]
				: ['gateway_error', `The gateway could not process the request: ${words}`],
		);
	});

	it.each([
		[402, 'insufficient_balance', false],
		[404, 'not_found', false],
		[429, 'rate_limited', true],
		[503, 'gateway_error', true],
	])('says why nothing came at an error with status %i', async (code, name, retry) => {
		const { result } = completeFrom(endpoint, [toEvent({ error: { code, message: words } })]);

		expect(await catchError(result)).toMatchObject({ code: name, details: { retry } });
	});

	it('was carried out where something came before an error with a status', async () => {
		for (const code of [404, 429, 502]) {
			const failure = toEvent({ error: { code, message: words } });
			const { result } = completeFrom(endpoint, [
				toEvent({ usage: { output_tokens: 8 } }),
				failure,
			]);

			expect(await catchError(result)).toMatchObject({
				code: 'text_interrupted',
				message: `The answer broke off: ${words}`,
			});
		}
	});

	it('that is interrupted may have been carried out', async () => {
		const { result } = completeFrom(endpoint, [...pieces.slice(0, 2), new Error('reset')]);

		expect(await catchError(result)).toMatchObject({
			code: 'text_interrupted',
			details: { may_have_executed: true, billed: undefined },
		});
	});

	it('is requested again after a 429 in its first event', async () => {
		const refused = toEvent({ error: { code: 429, message: 'Slow down' } });
		const all = [[refused], [...pieces, end]];
		const gateway = createVirtualGateway((_request, index) =>
			ok(createBody(gateway.clock, all[index]!).stream, { 'content-type': EVENTS }),
		);
		const completed = completeText(gateway.client, textAdapters[endpoint] as TextAdapter, {
			model: 'some-model',
			body: async () => ({ model: 'some-model' }),
			isStream: true,
			silenceMs: SILENCE_MS,
		});

		expect((await gateway.clock.run(completed)).texts).toEqual(['Hello']);
		expect(gateway.requests).toHaveLength(2);
	});

	it.each([
		['overloaded_error', 'gateway_error'],
		['authentication_error', 'invalid_api_key'],
		['permission_error', 'forbidden'],
		['payment_required', 'insufficient_balance'],
		['bad_gateway', 'gateway_error'],
		['server_error', 'gateway_error'],
	])('that is an error of the type %s from the beginning is %s', async (type, code) => {
		const error = { error: { type, message: 'No' } };
		const streamed = completeFrom(endpoint, [`event: error\n${toEvent(error)}`]);
		const answered = completeFrom(endpoint, [JSON.stringify(error)], { isStream: false });

		expect(await catchError(streamed.result)).toMatchObject({ code });
		expect(await catchError(answered.result)).toMatchObject({ code });
		expect([streamed, answered].map(({ requests }) => requests.length)).toEqual([1, 1]);
	});

	it('that begins with an empty balance is not requested again', async () => {
		const refused = toEvent({ error: { code: 429, type: 'insufficient_quota', message: 'No' } });
		const { result, requests, client } = completeFrom(endpoint, [refused]);

		expect(await catchError(result)).toMatchObject({ code: 'insufficient_balance' });
		expect([requests.length, client.isRefusing]).toEqual([1, false]);
	});

	it.each([
		[429, 'rate_limited'],
		[402, 'insufficient_balance'],
		[503, 'gateway_error'],
	] as const)('that begins with %i beside no choices is refused: %s', async (errorCode, code) => {
		const refused = { error: { code: errorCode, message: 'No' }, choices: [], usage: null };
		const { result } = completeFrom(endpoint, [toEvent(refused)]);

		expect(await catchError(result)).toMatchObject({ code, details: { http_status: errorCode } });
	});

	it('that begins with a rate limit in words is requested again', async () => {
		const refused = toEvent({ error: { code: 'rate_limit_exceeded', message: 'No' } });
		const { result, requests } = completeFrom(endpoint, [refused]);

		expect(await catchError(result)).toMatchObject({ code: 'rate_limited' });
		expect(requests.length).toBeGreaterThan(1);
	});
});

it.each([
	[{ error: { code: 429, message: 'Provider away' } }, 'Provider away'],
	[{ finish_reason: 'abort' }, 'finish_reason is abort'],
	[
		{ finish_reason: 'insufficient_system_resource' },
		'finish_reason is insufficient_system_resource',
	],
	[{ finish_reason: 'error', error: { message: 'Provider away' } }, 'Provider away'],
	[{ finish_reason: 'network_error' }, 'finish_reason is network_error'],
])('takes a choice that failed for no answer: %j', async (failed, reason) => {
	const choices = [{ ...failed, message: { content: 'Half' } }];
	const whole = JSON.stringify({ choices, usage: { total_tokens: 3 } });
	const answered = completeFrom('chat', [whole], { isStream: false });
	const half = toEvent({ choices: [{ delta: { content: 'Half' } }] });
	const streamed = completeFrom('chat', [half, toEvent({ choices: [failed] })]);

	expect(await catchError(answered.result)).toMatchObject({
		code: 'text_refused',
		message: `The model gave no answer: ${reason}`,
		details: { text: 'Half' },
	});
	const interrupted = {
		code: 'text_interrupted',
		message: `The answer broke off: ${reason}`,
		details: { text: 'Half' },
	};
	expect(await catchError(streamed.result)).toMatchObject(interrupted);
	// It is paid, so it is not repeated.
	const atOnce = completeFrom('chat', [toEvent({ choices })]);
	expect(await catchError(atOnce.result)).toMatchObject(interrupted);
	expect(atOnce.requests).toHaveLength(1);
});

it.each([
	[
		'respond',
		{
			type: 'response.failed',
			response: {
				...{ status: 'failed', error: { code: 'rate_limit_exceeded' } },
				output: [{ type: 'message', content: 'Half' }],
				usage: { input_tokens: 5, output_tokens: 7 },
			},
		},
	],
	[
		'message',
		{
			...{ type: 'message', content: [{ type: 'text', text: 'Half' }] },
			...{ usage: { output_tokens: 7 }, error: { type: 'rate_limit_error' } },
		},
	],
	['chat', { error: { type: 'rate_limit_error' }, usage: { total_tokens: 7 } }],
] as const)('does not repeat a stream of %s that has used tokens', async (endpoint, event) => {
	const { result, requests } = completeFrom(endpoint, [toEvent(event)]);

	expect(await catchError(result)).toMatchObject({
		code: 'text_interrupted',
		details: { text: endpoint === 'chat' ? '' : 'Half' },
	});
	expect(requests).toHaveLength(1);
});

it.each([{ error: 'No' }, { choices: [{ error: 'No' }] }])(
	'is whole where %j follows the finish reason',
	async (error) => {
		const { result } = completeFrom('chat', [...STREAM_CASES.chat.pieces, toEvent(error)]);

		expect((await result).texts).toEqual(['Hello']);
	},
);

it('keeps the alternatives that have not failed', async () => {
	const failed = { index: 1, finish_reason: 'error' };
	const whole = [{ message: { content: 'A' }, finish_reason: 'stop' }, failed];
	const answered = completeFrom('chat', [JSON.stringify({ choices: whole })], { isStream: false });
	const begun = [{ delta: { content: 'A' } }, { index: 1, delta: { content: 'B' } }];
	const ends = [failed, { delta: {}, finish_reason: 'stop' }];
	const events = [begun, ...ends.map((choice) => [choice])].map((choices) => toEvent({ choices }));
	const streamed = completeFrom('chat', [...events, 'data: [DONE]\n\n']);

	expect((await answered.result).texts).toEqual(['A', '']);
	expect((await streamed.result).texts).toEqual(['A', 'B']);

	const [first, second] = [0, 1].map((index) => ({ index, delta: { content: 'A' } }));
	const late = [
		{ ...first, finish_reason: 'error' },
		{ ...second, finish_reason: 'stop' },
	];
	const apart = late.map((choice) => toEvent({ choices: [choice] }));
	expect((await completeFrom('chat', apart).result).texts).toEqual(['A', 'A']);

	const all = [first, second].map((choice) => ({ ...choice, error: { message: 'No' } }));
	const failedAll = completeFrom('chat', [toEvent({ choices: all })]);
	expect(await catchError(failedAll.result)).toMatchObject({ message: 'The answer broke off: No' });
});

it('takes a response that failed for no answer, and keeps what it holds', async () => {
	const whole = {
		status: 'failed',
		error: { message: 'No' },
		output: [{ type: 'message', content: 'Half' }],
	};
	const { result } = completeFrom('respond', [JSON.stringify(whole)], { isStream: false });

	expect(await catchError(result)).toMatchObject({
		code: 'text_refused',
		message: 'The model gave no answer: No',
		details: { text: 'Half' },
	});
});

it('reports a response that failed in its only event', async () => {
	const error = { code: 503, message: 'Overloaded' };
	const failed = { type: 'response.failed', response: { status: 'failed', output: [], error } };
	const { result } = completeFrom('respond', [toEvent(failed)]);

	expect((await catchError(result)).message).toContain('Overloaded');
});

it.each([
	['chat', { choices: [], usage: { total_tokens: 18 } }],
	['message', { content: null, usage: { output_tokens: 18 } }],
] as const)('says that a reply of %s without text may have been paid', async (endpoint, reply) => {
	const { result } = completeFrom(endpoint, [JSON.stringify(reply)], { isStream: false });

	expect(await catchError(result)).toMatchObject({
		code: 'unreadable_response',
		message: 'The gateway answered without text',
		details: { may_have_executed: true },
	});
});
