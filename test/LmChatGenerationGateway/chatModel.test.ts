import type { Message } from '@n8n/ai-node-sdk';
import { answer, createModel, hello, type Answer } from '../support/gatewayChatModel';
import { catchError } from '../support/gatewayClient';
import { createBody, refusal } from '../support/virtualGateway';

it('is asked with the words, roles and options of chat completions', async () => {
	const options = { temperature: '0.5', max_tokens: 50, timeout: 5 };
	const { model, clock, requests } = createModel('o1', [answer], options);
	const messages: Message[] = [
		{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
		...hello,
	];

	expect(await clock.run(model.generate(messages, { stop: ['END'] }))).toEqual({
		id: 'c1',
		finishReason: 'stop',
		usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7 },
		message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
	});
	expect(requests).toMatchObject([
		{
			path: '/v1/chat/completions',
			timeoutMs: 5_000,
			body: {
				model: 'o1',
				messages: [
					{ role: 'system', content: 'Be brief.' },
					{ role: 'user', content: 'hello' },
				],
				temperature: 0.5,
				max_tokens: 50,
				stop: ['END'],
			},
		},
	]);
});

it('names its own option after a timeout', async () => {
	const silent: Answer = (time) => ({
		status: 200,
		headers: {},
		body: createBody(time, ['stall']).stream,
	});
	const { model, clock } = createModel('gp-5', [silent]);

	expect(await clock.run(catchError(model.generate(hello)))).toMatchObject({
		code: 'timeout',
		hint: 'Run again later, or raise Timeout (Seconds).',
	});
});

it('waits as long as the gateway asks and tries again, as often as Maximum Retries says', async () => {
	const busy = refusal(429, 'Busy', { 'retry-after': '7' });
	const patient = createModel('gp-5', [busy, busy, answer], { maxRetries: 2 });
	const startedAt = patient.clock.now();
	await patient.clock.run(patient.model.generate(hello));

	expect(patient.requests).toHaveLength(3);
	expect(patient.clock.now() - startedAt).toBeGreaterThanOrEqual(14_000);

	const hasty = createModel('gp-5', [busy, answer], { maxRetries: 0 });
	expect(await hasty.clock.run(catchError(hasty.model.generate(hello)))).toMatchObject({
		code: 'rate_limited',
	});
	expect(hasty.requests).toHaveLength(1);
});

it('shows no key that the gateway quotes', async () => {
	const { model, clock } = createModel('gp-5', [refusal(400, 'Bad key sk-virtual-key')]);

	expect((await clock.run(catchError(model.generate(hello)))).message).not.toContain(
		'sk-virtual-key',
	);
});
