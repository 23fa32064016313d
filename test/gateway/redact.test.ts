import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readAsset } from '../../nodes/gateway/assets/schema';
import { readErrorBody } from '../../nodes/gateway/errorBody';
import { redact } from '../../nodes/gateway/redact';
import { readTask } from '../../nodes/gateway/tasks/schema';
import { completeText } from '../../nodes/gateway/text/complete';
import { textAdapters } from '../../nodes/gateway/text';
import { toConnectionError } from '../../nodes/n8n/connectionError';
import { catchError, withClient } from '../support/gatewayClient';
import { createBody, createVirtualGateway, ok } from '../support/virtualGateway';

const KEY = 'sk-live/4+2"ü=é-key';
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** The key as a gateway may write it. */
const ENCODINGS: Record<string, string> = {
	plain: KEY,
	'with its prefix': `Bearer ${KEY}`,
	'for a URI': encodeURIComponent(KEY),
	'for a URI in small letters': encodeURIComponent(KEY).toLowerCase(),
	'for a URI, in part': KEY.replace('/', '%2F'),
	'in JSON': JSON.stringify(KEY),
	'in JSON of JSON': JSON.stringify(JSON.stringify(KEY)),
	'in JSON with escapes': KEY.replace('/', '\\/').replace('s', '\\u0073').replace('ü', '\\u00FC'),
	'in base64': base64(KEY),
	'in base64 after one letter': base64(`:${KEY}:`),
	'in base64 after two letters': base64(`a:${KEY}, and more`),
	'in base64 for URLs': Buffer.from(KEY).toString('base64url'),
};
/** The middle of the key in each encoding: what must not be left of it. */
const REMAINS = ['live', '4+2', '4%2B2', base64(KEY).slice(4, -6), base64(`:${KEY}`).slice(4, -6)];
const shows = (text: string) => REMAINS.some((part) => text.includes(part));

const PLACES: Record<string, (key: string) => unknown> = {
	'a text': (key) => `no seat for ${key}, sorry`,
	'a value': (key) => ({ error: { message: key } }),
	'a name': (key) => ({ [key]: 1, after: { [`x-${key}`]: true } }),
	'a list': (key) => ({ list: ['a', key] }),
	'a list that begins with a number': (key) => ({ list: [1, key, { [key]: key }] }),
};

describe.each(Object.entries(ENCODINGS))('the key %s', (_name, written) => {
	it.each(Object.entries(PLACES))('is taken out of %s', (_place, put) => {
		const seen = JSON.stringify(redact(put(written), KEY));

		expect(shows(seen)).toBe(false);
		expect(seen).toContain('[API key]');
	});
});

it('leaves what does not hold the key as it is', () => {
	const value = { data: [{ embedding: [0.1, 0.2, 'a'], name: 'sk-other' }] };
	expect(redact(value, KEY)).toEqual(value);
	expect(redact('a short key is a word', 'key')).toBe('a short key is a word');
});

it('is quick on vectors and files', () => {
	const value = [Array.from({ length: 500_000 }, Math.random), 'A+/z'.repeat(2_000_000)];
	expect(redact(value, KEY)).toEqual(value);
});

describe('the key in a reply', () => {
	const secret = 'sk-virtual-key';

	it('is taken out of a header that the message quotes', async () => {
		const location = `https://example.com/${secret}/${base64(secret)}`;
		const { client, clock } = createVirtualGateway(() => ({
			status: 302,
			headers: { location },
			body: '',
		}));
		const error = await clock.run(
			catchError(client.request({ kind: 'read', method: 'GET', path: '/v1/models' })),
		);

		expect(error.message).toContain('[API key]');
		expect(error.message).not.toMatch(/virtual|dmlydHVhb/);
	});

	/** Asks for an answer as a stream, which has these events. */
	async function stream(...events: string[]) {
		const gateway = createVirtualGateway(() => {
			const { stream: body } = createBody(
				gateway.clock,
				events.map((event) => `data: ${event}\n\n`),
			);
			return ok(body, { 'content-type': 'text/event-stream' });
		});
		return await gateway.clock.run(
			completeText(gateway.client, textAdapters.chat, {
				model: 'gp-5-mini',
				body: async () => ({}),
				isStream: true,
				silenceMs: 5_000,
			}),
		);
	}
	const delta = (content: string) => JSON.stringify({ choices: [{ delta: { content } }] });

	it.each([
		['in one piece', [`a ${secret} b`]],
		['over pieces', ['a sk-vir', 'tual-key b']],
	])('is taken out of a streamed answer, %s', async (_name, words) => {
		const result = await stream(...words.map(delta), '[DONE]');

		expect(result.texts).toEqual(['a [API key] b']);
		expect(JSON.stringify(result)).not.toContain(secret);
	});

	it('is taken out of the error of a stream that broke off', async () => {
		const failure = JSON.stringify({ error: { message: `no seat for ${secret}` } });
		const error = await catchError(stream(delta('a'), failure));

		expect(error.message).toBe('The answer broke off: no seat for [API key]');
		expect(JSON.stringify(error)).not.toContain(secret);
	});

	it('is taken out of the error of a connection, also where that is cut', async () => {
		const node = { getCredentials: async () => ({ apiKey: secret }) };
		const messageOf = async (words: string) =>
			(await toConnectionError(node as never, new Error(words), 1_000)).message;

		expect(await messageOf(`getaddrinfo ENOTFOUND ${secret}.example.com`)).toContain(
			'(getaddrinfo ENOTFOUND [API key].example.com)',
		);
		expect(await messageOf(`${'.'.repeat(195)}${secret}`)).not.toContain('sk-');
	});

	it('is taken out of JSON whose text escapes it', async () => {
		const server = createServer((_request, response) => {
			const message = String.raw`no seat for sk\u002dvirtual-key`;
			response.writeHead(400, { 'content-type': 'application/json' });
			response.end(`{"error":{"message":"${message}"}}`);
		});
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const error = await catchError(
			withClient({ url, key: secret }, (client) =>
				client.request({ kind: 'read', method: 'GET', path: '/v1/models' }),
			),
		).finally(() => server.close());

		expect(error.message).toContain('no seat for [API key]');
	});
});

describe('the signature of a link that the gateway could not open', () => {
	const message = (link: string) => `Cannot open "${link}": status 404`;
	const link = 'https://n8n.example/rest/binary-data/signed?token=eyJhbGci.secret';
	const shown = message('https://n8n.example/rest/binary-data/signed?token=…');

	it.each(['token', 'signature'])('is hidden in an error: %s', (name) => {
		const url = `https://n8n.example/webhook-waiting/1?a=1&${name}=secret&b=2`;
		for (const body of [
			message(url),
			{ error: { message: message(url) } },
			{ error: message(url) },
		])
			expect(readErrorBody(body).message).toBe(message(url.replace('secret', '…')));
	});

	it('is hidden in the reason of a task and of an asset', () => {
		const error = { message: message(link) };

		expect(readTask({ task_id: 'task_1', status: 'failed', error })?.reason).toBe(shown);
		expect(readTask({ id: 'task_1', status: 'failed', fail_reason: message(link) })?.reason).toBe(
			shown,
		);
		expect(readAsset({ id: 'asset_1', status: 'failed', error })?.reason?.original).toBe(shown);
	});

	it('stays in the result of a task', () => {
		const task = readTask({ task_id: 'task_1', status: 'completed', results: [{ url: link }] });

		expect(JSON.stringify(task)).toContain(link);
	});
});

it('reads a million backslashes once', () => {
	const backslashes = '\\'.repeat(1_000_000);

	expect(redact(`${backslashes}sk-secret-key`, 'sk-secret-key')).toMatch(/^\\*\[API key\]$/);
	expect(redact(backslashes, 'sk-secret-key')).toBe(backslashes);
});
