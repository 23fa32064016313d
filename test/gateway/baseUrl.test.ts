import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CREDENTIAL, type GatewayRequest } from '../../nodes/gateway/client';
import { catchError, withClient } from '../support/gatewayClient';

const models: GatewayRequest = { kind: 'read', method: 'GET', path: '/v1/models' };
const once = { retry: { attempts: 1, budgetMs: 0, firstPauseMs: 0 } };

interface Seen {
	url: string | undefined;
	authorization: string | undefined;
}

async function serving<T>(
	listener: RequestListener,
	use: (url: string, seen: Seen[]) => Promise<T>,
): Promise<T> {
	const seen: Seen[] = [];
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

describe('the way to the gateway', () => {
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
			'Base URL "gateway.example.com" is not a web address. It starts with https:// or http://, e.g. https://gateway.example.com',
		],
		[
			'ftp://gateway.example.com',
			'Base URL "ftp://gateway.example.com" is not a web address. It starts with https:// or http://, e.g. https://gateway.example.com',
		],
		['', 'Base URL is empty. Enter the address of the gateway, e.g. https://gateway.example.com'],
	])('sends nobody to the base URL "%s", and asks once', async (url, message) => {
		const issue = await catchError(
			withClient({ url, key: 'sk-1' }, (client) => client.request(models), {
				retry: { attempts: 5, budgetMs: 9e5, firstPauseMs: 3000 },
			}),
		);

		expect(issue).toMatchObject({
			message,
			hint: 'Open the Generation Gateway credential and correct it.',
			details: { retry: false },
		});
	});

	it('names what kept it from a host that refuses, and what to look at', async () => {
		const url = await serving(json, async (open) => open);
		const issue = await catchError(
			withClient({ url, key: 'sk-1' }, (client) => client.request(models), once),
		);

		expect(issue.message).toMatch(/^The gateway could not be reached \(connect ECONNREFUSED 127/);
		expect(issue).toMatchObject({
			hint: expect.stringContaining('Check Base URL in the credential'),
			details: { retry: true },
		});
	});

	it('knows a web page from a gateway', async () => {
		const page: RequestListener = (_request, response) =>
			response.setHeader('content-type', 'text/html').end('<html>Hello</html>');
		await serving(page, async (url) => {
			const issue = await catchError(
				withClient({ url, key: 'sk-1' }, (client) => client.request(models), once),
			);
			expect(issue).toMatchObject({
				message: 'The gateway sent a reply that cannot be read (status 200)',
				hint: 'Check that Base URL in the credential is the address of the gateway and not of a web page.',
			});
		});
	});

	it('reads a refusal in plain text, and keeps a web page out of the message', async () => {
		const plain: RequestListener = (_request, response) =>
			response.writeHead(403).end('No seat on this plan');
		const page: RequestListener = (_request, response) =>
			response.writeHead(403, { 'content-type': 'text/html' }).end('<html>No</html>');
		const said = async (listener: RequestListener) =>
			await serving(
				listener,
				async (url) =>
					(
						await catchError(
							withClient({ url, key: 'sk-1' }, (client) => client.request(models), once),
						)
					).message,
			);

		expect(await said(plain)).toBe('The API key may not do this: No seat on this plan');
		expect(await said(page)).toBe('The API key may not do this');
	});

	it('keeps the key out of what is said when the gateway quotes it', async () => {
		const quoting: RequestListener = ({ headers }, response) =>
			response.writeHead(403, { 'content-type': 'application/json' }).end(
				JSON.stringify({
					error: { message: `No seat for ${headers.authorization}`, code: 'sk-quoted-1 is out' },
				}),
			);
		const issue = await serving(
			quoting,
			async (url) =>
				await catchError(
					withClient({ url, key: ' sk-quoted-1 ' }, (client) => client.request(models), once),
				),
		);

		expect(issue.message).toBe('The API key may not do this: No seat for Bearer [API key]');
		expect(issue.details).toMatchObject({ http_status: 403, code: '[API key] is out' });
	});

	it('takes no key along when the gateway sends it to another host', async () => {
		await serving(json, async (elsewhere, strangers) => {
			const away: RequestListener = (_request, response) =>
				response
					.writeHead(302, { location: `${elsewhere.replace('127.0.0.1', 'localhost')}/v1/models` })
					.end();
			await serving(away, async (url, seen) => {
				await withClient({ url, key: 'sk-1' }, (client) => client.request(models), once).catch(
					() => undefined,
				);
				expect(seen).toEqual([{ url: '/v1/models', authorization: 'Bearer sk-1' }]);
				expect(strangers.map(({ authorization }) => authorization).filter(Boolean)).toEqual([]);
			});
		});
	});

	it('takes no key along when the credential is asked to sign a call to another host', async () => {
		await serving(json, async (gateway, seen) => {
			await serving(json, async (elsewhere, strangers) => {
				for (const url of [`${gateway}/v1/models`, `${elsewhere}/v1/models`])
					await withClient({ url: gateway, key: 'sk-1' }, (_door, host) =>
						host.helpers.httpRequestWithAuthentication.call(host, CREDENTIAL, { url }),
					);
				expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer sk-1']);
				expect(strangers.map(({ authorization }) => authorization)).toEqual([undefined]);
			});
		});
	});

	it('puts no key in a message', async () => {
		const echo: RequestListener = (_request, response) =>
			response
				.writeHead(401, { 'content-type': 'application/json' })
				.end('{"error":{"message":"Invalid"}}');
		await serving(echo, async (url) => {
			const issue = await catchError(
				withClient({ url, key: 'sk-very-secret' }, (client) => client.request(models), once),
			);
			expect(JSON.stringify([issue.message, issue.hint, issue.details])).not.toContain(
				'sk-very-secret',
			);
		});
	});
});
