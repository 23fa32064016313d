import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';
import { GenerationGatewayApi } from '../../credentials/GenerationGatewayApi.credentials';
import { startSandbox } from '../../sandbox';
import { catchError, withClient } from '../support/gatewayClient';

const KEY = 'sk-secret-of-the-credential';

let timeouts: unknown[];

const signed = async (
	{ authenticate }: GenerationGatewayApi,
	...request: [ICredentialDataDecryptedObject, IHttpRequestOptions]
) => await (authenticate as (...given: typeof request) => Promise<IHttpRequestOptions>)(...request);

/** What n8n does with the request of a test, with its own HTTP helper; so long is waited for an answer. */
async function signTest(
	data: ICredentialDataDecryptedObject,
	timeout = 2_000,
	failure?: Error,
): Promise<IHttpRequestOptions> {
	timeouts = [];
	return await withClient({ url: 'http://127.0.0.1:9', key: KEY }, async (_client, context) => {
		const httpRequest = async (options: IHttpRequestOptions): Promise<unknown> => {
			timeouts.push(options.timeout);
			if (failure) throw failure;
			return await context.helpers.httpRequest({ ...options, timeout });
		};
		const credential = new GenerationGatewayApi();
		const { url, ...request } = credential.test.request as IHttpRequestOptions;
		expect(await credential.preAuthentication.call({ helpers: { httpRequest } }, data)).toEqual({});
		const options = { ...request, url, baseURL: String(data.baseUrl), timeout: 300_000 };
		return await signed(credential, data, options);
	});
}

/** A server that never answers. */
async function silent(work: (url: string) => Promise<void>): Promise<void> {
	const server = createServer(() => undefined).listen(0, '127.0.0.1');
	try {
		await new Promise((done) => server.once('listening', done));
		await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

describe('the test of the credential says in words that', () => {
	it.each([
		[
			'nobody listens at the address',
			'http://127.0.0.1:9',
			/^The gateway could not be reached\. Check Base URL .* localhost is the container itself\. If n8n uses a proxy/,
		],
		[
			'the name of the host is not known',
			'http://gateway.invalid',
			/^The gateway could not be reached\. No host has the name in Base URL\. Check its spelling/,
		],
		['there is no address', 'gateway', /^Base URL must start with https/],
	])('%s', async (_what, baseUrl, words) => {
		const error = await catchError(signTest({ baseUrl, apiKey: KEY }));

		expect(error.message).toMatch(words);
		expect(error.message).not.toContain(KEY);
	});

	it('the address speaks http, not https', async () => {
		const sandbox = await startSandbox();
		try {
			const baseUrl = sandbox.url.replace('http:', 'https:');
			const error = await catchError(signTest({ baseUrl, apiKey: KEY }));

			expect(error.message).toBe(
				'The gateway could not be reached. The gateway does not speak https at this address. ' +
					'Begin Base URL in the credential with http://, or enter the address for https.',
			);
		} finally {
			await sandbox.close();
		}
	});

	it.each([
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'],
	])('the certificate is not trusted: %s', async (code, message) => {
		const data = { baseUrl: 'https://gateway.example.com', apiKey: KEY };
		const failure = Object.assign(new Error(message), { code });

		expect((await catchError(signTest(data, 2_000, failure))).message).toMatch(
			/^The gateway could not be reached\. n8n does not trust the certificate .* NODE_EXTRA_CA_CERTS/,
		);
	});

	it.each([
		['the key is missing', ' ', 'API Key is empty. Keys come from the console of the gateway'],
		['the key is cut', 'sk-1 sk-2', 'API Key must be one word. Copy it again'],
	])('%s', async (_what, apiKey, words) => {
		const data = { baseUrl: 'http://127.0.0.1:9', apiKey };
		expect((await catchError(signTest(data))).message).toBe(words);
	});

	it.each([
		[401, /^The gateway does not accept the API key/],
		[403, /gives the API key no access, or .* a firewall/],
		[404, /^Something answers at Base URL, but it is no gateway/],
		[405, /^Something answers at Base URL, but it is no gateway/],
		...[301, 302, 303, 307, 308].map((status): [number, RegExp] => [status, /another address/]),
	])('the answer has status %i', async (status, words) => {
		const server = createServer((_, response) =>
			response.writeHead(status, { location: 'https://example.com' }).end('<html>Page</html>'),
		).listen(0, '127.0.0.1');
		try {
			await new Promise((done) => server.once('listening', done));
			const { port } = server.address() as AddressInfo;
			const data = { baseUrl: `http://127.0.0.1:${port}`, apiKey: KEY };
			expect((await catchError(signTest(data))).message).toMatch(words);
		} finally {
			server.close();
		}
	});

	it('the address is silent, after 10 s', async () => {
		await silent(async (baseUrl) => {
			const error = await catchError(signTest({ baseUrl, apiKey: KEY }, 50));

			expect(error.message).toBe('The gateway was silent for 10 s. Check Base URL.');
			expect(timeouts).toEqual([10_000]);
		});
	});
});

it('goes on where the gateway answers, and waits 10 s at most', async () => {
	const sandbox = await startSandbox();
	try {
		expect(await signTest({ baseUrl: sandbox.url, apiKey: sandbox.key })).toMatchObject({
			url: `${sandbox.url}/v1/assets`,
			headers: { Authorization: `Bearer ${sandbox.key}` },
			timeout: 10_000,
		});
	} finally {
		await sandbox.close();
	}
});

it('costs other requests nothing', async () => {
	const credential = new GenerationGatewayApi();
	const httpRequest = jest.fn();
	const data = { baseUrl: 'https://gateway.example.com', apiKey: KEY };
	await credential.preAuthentication.call({ helpers: { httpRequest } }, data);
	const request = await signed(credential, data, { url: '/v1/tasks', timeout: 90_000 });

	expect(request).toMatchObject({
		url: 'https://gateway.example.com/v1/tasks',
		timeout: 90_000,
	});
	expect(httpRequest).not.toHaveBeenCalled();
});

it('is taken for a credential whose property has expired, so that n8n hands over its helper', () => {
	const { properties } = new GenerationGatewayApi();
	const expirable = properties.filter(({ typeOptions }) => typeOptions?.expirable);

	expect(expirable).toMatchObject([{ type: 'hidden', default: '' }]);
});
