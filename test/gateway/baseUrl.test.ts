import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GatewayRequest } from '../../nodes/gateway/request';
import { CREDENTIAL } from '../../nodes/n8n/credential';
import { catchError, withClient } from '../support/gatewayClient';

const models: GatewayRequest = { kind: 'read', method: 'GET', path: '/v1/models' };
const once = { retry: { attempts: 1, budgetMs: 0, firstDelayMs: 0 } };

interface SeenRequest {
	url: string | undefined;
	authorization: string | undefined;
}

async function serving<T>(
	listener: RequestListener,
	use: (url: string, seen: SeenRequest[]) => Promise<T>,
): Promise<T> {
	const seen: SeenRequest[] = [];
	const server = createServer((request, response) => {
		seen.push({ url: request.url, authorization: request.headers.authorization });
		listener(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	try {
		return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen);
	} finally {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}
}

const json: RequestListener = (_request, response) =>
	response.setHeader('content-type', 'application/json').end('{"data": []}');

const PAGE = {
	code: 'not_found',
	message: 'A web page answered instead of the gateway',
	hint: 'Check Base URL in the credential: the address of the gateway, without /v1. If it is right, something before the gateway has answered, e.g. a proxy, a firewall or a login page.',
};

describe('the address of the gateway', () => {
	it.each([
		['', ''],
		['/', ''],
		['//', ''],
		['/v1', ''],
		['/v1/', ''],
		['/proxy', '/proxy'],
		['/proxy/v1/', '/proxy'],
		['/?key=1#x', ''],
		[' ', ''],
	])('reads the base URL with "%s" at its end', async (ending, path) => {
		await serving(json, async (url, seen) => {
			await withClient({ url: `${url}${ending}`, key: ' sk-1 ' }, (client) =>
				client.request(models),
			);
			expect(seen).toEqual([{ url: `${path}/v1/models`, authorization: 'Bearer sk-1' }]);
		});
	});

	it.each([
		[
			'gateway.example.com',
			'Base URL must start with https:// or http://, e.g. https://gateway.example.com, but is gateway.example.com',
		],
		[
			'ftp://gateway.example.com',
			'Base URL must start with https:// or http://, e.g. https://gateway.example.com, but is ftp://gateway.example.com',
		],
		[
			'https://me:secret@gateway.example.com',
			'Base URL must not have a user name or password. Enter the API key below it',
		],
		['', 'Base URL is empty. Enter the address of the gateway, e.g. https://gateway.example.com'],
	])('sends nothing to the base URL "%s", and tries once', async (url, message) => {
		const error = await catchError(
			withClient({ url, key: 'sk-1' }, (client) => client.request(models), {
				retry: { attempts: 5, budgetMs: 9e5, firstDelayMs: 3000 },
			}),
		);

		expect(error).toMatchObject({
			code: 'invalid_credential',
			message,
			hint: 'Open the Generation Gateway credential and correct it.',
			details: { retry: false },
		});
	});

	it('names why a host could not be reached, and what to check', async () => {
		const url = await serving(json, async (address) => address);
		const error = await catchError(
			withClient({ url, key: 'sk-1' }, (client) => client.request(models), once),
		);

		expect(error.message).toMatch(/^The gateway could not be reached \(connect ECONNREFUSED 127/);
		expect(error).toMatchObject({
			code: 'connection_failed',
			hint: expect.stringContaining('Check Base URL in the credential'),
			details: { retry: true },
		});
	});

	it.each<[number, object]>([
		[
			200,
			{
				code: 'unreadable_response',
				message: 'The gateway sent a response that cannot be read (status 200)',
				hint: 'Run again later. If it comes back, check that Base URL in the credential is the address of a gateway, not of a web page.',
			},
		],
		...[401, 403, 404, 405, 511].map((status): [number, object] => [status, PAGE]),
		[
			407,
			{
				...PAGE,
				message: 'A proxy before the gateway asks for a login',
				hint: 'Put the user and the password of the proxy into HTTP_PROXY and HTTPS_PROXY of this n8n.',
			},
		],
	])('knows a web page from a gateway, with status %i', async (status, words) => {
		const page: RequestListener = (_request, response) =>
			response.writeHead(status, { 'content-type': 'text/html' }).end('<html>Hello</html>');
		await serving(page, async (url) => {
			const error = await catchError(
				withClient({ url, key: 'sk-1' }, (client) => client.request(models), once),
			);
			expect(error).toMatchObject(words);
		});
	});

	it.each([401, 403, 404, 405, 511])(
		'repeats nothing that a page with status %i has answered: the gateway has not received it',
		async (status) => {
			const page: RequestListener = (_request, response) =>
				response.writeHead(status, { 'content-type': 'text/plain' }).end('\n<!DOCTYPE html>');
			await serving(page, async (url, seen) => {
				const kinds = ['read', 'submit', 'idempotent', 'write'] as const;
				for (const kind of kinds) {
					const error = await catchError(
						withClient({ url, key: 'sk-1' }, (client) =>
							client.request({ ...models, kind } as GatewayRequest),
						),
					);
					expect(error).toMatchObject(PAGE);
					expect(error.details).toEqual({ retry: false, billed: 0, http_status: status });
				}
				expect(seen).toHaveLength(kinds.length);
			});
		},
	);

	it.each([
		[401, 'invalid_api_key', 'The gateway does not accept the API key'],
		[403, 'forbidden', 'The API key has no access to this'],
		[407, 'not_found', 'A proxy before the gateway asks for a login'],
	])('takes an empty %i for %s', async (status, code, message) => {
		const empty: RequestListener = (_request, response) => response.writeHead(status).end();
		await serving(empty, async (url) => {
			const error = await catchError(
				withClient({ url, key: 'sk-1' }, (client) => client.request(models), once),
			);
			expect(error).toMatchObject({ code, message, details: { billed: 0 } });
		});
	});

	it('reads a refusal in plain text, and keeps a web page out of the message', async () => {
		const plain: RequestListener = (_request, response) =>
			response.writeHead(403).end('No seat on this plan');
		const page: RequestListener = (_request, response) =>
			response.writeHead(422, { 'content-type': 'text/html' }).end('<html>No</html>');
		const messageOf = async (listener: RequestListener) =>
			await serving(
				listener,
				async (url) =>
					(
						await catchError(
							withClient({ url, key: 'sk-1' }, (client) => client.request(models), once),
						)
					).message,
			);

		expect(await messageOf(plain)).toBe('The API key has no access to this: No seat on this plan');
		expect(await messageOf(page)).toBe('The gateway refused the request (status 422)');
	});

	it.each([' ', 'sk-1 sk-2'])(
		'sends nothing with the key %j, and says what is wrong',
		async (key) => {
			const error = await catchError(
				withClient({ url: 'http://127.0.0.1:9', key }, (client) => client.request(models), once),
			);
			expect(error).toMatchObject({
				code: 'invalid_credential',
				message: expect.stringMatching(/^API Key (is empty|must be one word)/),
				hint: 'Open the Generation Gateway credential and correct it.',
			});
		},
	);

	it('keeps the key out of the error when the gateway quotes it', async () => {
		const quoting: RequestListener = ({ headers }, response) =>
			response.writeHead(403, { 'content-type': 'application/json' }).end(
				JSON.stringify({
					error: { message: `No seat for ${headers.authorization}`, code: 'sk-quoted-1 is out' },
				}),
			);
		const error = await serving(
			quoting,
			async (url) =>
				await catchError(
					withClient({ url, key: ' sk-quoted-1 ' }, (client) => client.request(models), once),
				),
		);

		expect(error.message).toBe('The API key has no access to this: No seat for Bearer [API key]');
		expect(error.details).toMatchObject({ http_status: 403, gateway_code: '[API key] is out' });
	});

	it('takes no key along when the gateway redirects to another host, and tries once', async () => {
		await serving(json, async (elsewhere, foreign) => {
			const away: RequestListener = (_request, response) =>
				response
					.writeHead(302, { location: `${elsewhere.replace('127.0.0.1', 'localhost')}/v1/models` })
					.end();
			await serving(away, async (url, seen) => {
				const error = await catchError(
					withClient({ url, key: 'sk-1' }, (client) => client.request(models)),
				);
				expect(error).toMatchObject({ code: 'redirected', details: { retry: false } });
				expect(seen).toEqual([{ url: '/v1/models', authorization: 'Bearer sk-1' }]);
				expect(foreign.map(({ authorization }) => authorization).filter(Boolean)).toEqual([]);
			});
		});
	});

	it('takes no key along when the credential signs a request to another host', async () => {
		await serving(json, async (gateway, seen) => {
			await serving(json, async (elsewhere, foreign) => {
				for (const url of [`${gateway}/v1/models`, `${elsewhere}/v1/models`])
					await withClient({ url: gateway, key: 'sk-1' }, (_client, context) =>
						context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, { url }),
					);
				expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer sk-1']);
				expect(foreign.map(({ authorization }) => authorization)).toEqual([undefined]);
			});
		});
	});

	it('puts no key in a message', async () => {
		const echo: RequestListener = (_request, response) =>
			response
				.writeHead(401, { 'content-type': 'application/json' })
				.end('{"error":{"message":"Invalid"}}');
		await serving(echo, async (url) => {
			const error = await catchError(
				withClient({ url, key: 'sk-very-secret' }, (client) => client.request(models), once),
			);
			expect(JSON.stringify([error.message, error.hint, error.details])).not.toContain(
				'sk-very-secret',
			);
		});
	});
});
