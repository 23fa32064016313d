import { readAudioUsage, sendAudio, type AudioTask } from '../../../nodes/gateway/audio/api';
import { catchError } from '../../support/gatewayClient';
import {
	createVirtualGateway,
	ok,
	refusal,
	type VirtualResponse,
} from '../../support/virtualGateway';

/** Sends a recording; `forms` are the files that were made for it, and whether each was let go. */
function send(answers: VirtualResponse[], task: AudioTask = 'transcribe') {
	const forms: { isClosed: boolean }[] = [];
	const { client, clock, requests } = createVirtualGateway((_request, index) => answers[index]!);
	const form = async () => {
		const data = { isClosed: false };
		forms.push(data);
		return { data, close: () => void (data.isClosed = true) };
	};
	const result = clock.run(sendAudio(client, task, form));
	result.catch(() => undefined);
	return { result, requests, forms };
}

const SRT = '1\n00:00:00,000 --> 00:00:02,000\nHello\n';

describe('the text of a recording', () => {
	it.each([
		['transcribe', '/v1/audio/transcriptions'],
		['translate', '/v1/audio/translations'],
	] as const)('comes from the path of its endpoint: %s', async (task, path) => {
		const { result, requests } = send([ok({ text: 'Hello', language: 'nl' })], task);

		expect(await result).toEqual({ text: 'Hello', language: 'nl' });
		expect(requests).toMatchObject([{ method: 'POST', path }]);
	});

	it.each([
		['subtitles', SRT],
		['web subtitles', 'WEBVTT\n\n00:00.000 --> 00:02.000\nHello'],
		['plain text', 'Hello'],
	])('may be the whole body: %s', async (_name, body) => {
		expect(await send([ok(body)]).result).toEqual({ text: body });
	});

	it.each(['2024', 'true', 'null', '"Hello."', '[1]', ''])(
		'is what a plain text says, though it looks like JSON: %s',
		async (body) => {
			const plain = ok(body, { 'content-type': 'text/plain; charset=utf-8' });

			expect(await send([plain]).result).toEqual({ text: body });
		},
	);

	it.each<[string, unknown, Record<string, string>, string]>([
		['a JSON text', '"Hello"', { 'content-type': 'application/json' }, 'Hello'],
		['a number without a type', '2024', {}, '2024'],
		...[
			'<music>',
			'<i>Hello</i> and welcome.',
			'<v Ann>Hi</v>',
			'<pause> and <b>go</b>',
			'<head shake> No.',
		].map((text): [string, string, Record<string, string>, string] => [
			`a plain text with marks: ${text}`,
			text,
			{ 'content-type': 'text/plain' },
			text,
		]),
	])('may be %s', async (_name, body, headers, text) => {
		expect(await send([ok(body, headers)]).result).toEqual({ text });
	});

	it('may be empty where nobody speaks', async () => {
		expect(await send([ok({ text: '' })]).result).toEqual({ text: '' });
	});

	it.each([
		['a web page', '<html>Hello</html>', 'sent a response that cannot be read (status 200)'],
		['nothing', '', 'sent a response that cannot be read (status 200)'],
		['undefined', undefined, 'sent a response that cannot be read (status 200)'],
		['null', null, 'sent a response that cannot be read (status 200)'],
		['an object without a text', { ok: true }, 'answered without a text'],
	])('is missing in %s', async (_name, body, words) => {
		expect(await catchError(send([ok(body)]).result)).toMatchObject({
			code: 'unreadable_response',
			message: `The gateway ${words}`,
		});
	});

	it.each([
		'<h1>502 Bad Gateway</h1>',
		'<head><title>502</title></head>',
		'<p>Down',
		'<html lang="en">',
		'<?xml version="1.0"?><Error/>',
		'<!-- x --><html>',
	])('is missing in a page, though it is called a text: %s', async (page) => {
		const response = ok(page, { 'content-type': 'text/plain' });

		expect(await catchError(send([response]).result)).toMatchObject({
			code: 'unreadable_response',
		});
	});

	it('is missing in JSON that broke off', async () => {
		const broken = ok('{"text": "Hel', { 'content-type': 'application/json' });

		expect(await catchError(send([broken]).result)).toMatchObject({ code: 'unreadable_response' });
	});

	it('is missing in an error with status 200, whose words are kept', async () => {
		expect(await catchError(send([ok({ error: { message: 'Too noisy' } })]).result)).toMatchObject({
			message: 'The gateway answered without a text: Too noisy',
		});
	});
});

describe('the file of a recording', () => {
	it('is made anew for each try, and let go after it', async () => {
		const { result, forms, requests } = send([refusal(429), ok({ text: 'Hello' })]);

		expect(await result).toEqual({ text: 'Hello' });
		expect(forms).toEqual([{ isClosed: true }, { isClosed: true }]);
		expect(requests.map(({ form }) => form)).toEqual(forms);
		expect(requests[0]).not.toHaveProperty('body');
	});

	it('is sent once where the answer does not say whether it was billed', async () => {
		const { result, forms } = send([refusal(502)]);

		expect(await catchError(result)).toMatchObject({
			code: 'gateway_error',
			details: { retry: true },
		});
		expect(forms).toEqual([{ isClosed: true }]);
	});
});

it.each([12.5, '12.5'])('the seconds of a recording are read out of %j', (duration) => {
	expect(readAudioUsage({ text: 'Hi', duration }).seconds).toBe(12.5);
});

it.each(['', '00:12', null, -1])(
	'the seconds of a recording are not read out of %j',
	(duration) => {
		expect(readAudioUsage({ text: 'Hi', duration }).seconds).toBeUndefined();
	},
);
