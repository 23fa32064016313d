import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { GenerationGatewayApi } from '../../credentials/GenerationGatewayApi.credentials';
import { startSandbox } from '../../sandbox';
import { catchError, withClient } from '../support/gatewayClient';

const KEY = 'sk-secret-of-the-credential';

let timeouts: unknown[];

/** What n8n does before a test of the credential, with its own HTTP helper; so long is waited for an answer. */
async function beforeTest(
	data: ICredentialDataDecryptedObject,
	timeout = 2_000,
): Promise<IDataObject> {
	timeouts = [];
	return await withClient({ url: 'http://127.0.0.1:9', key: KEY }, async (_client, context) => {
		const httpRequest = async (options: IHttpRequestOptions): Promise<unknown> => {
			timeouts.push(options.timeout);
			return await context.helpers.httpRequest({ ...options, timeout });
		};
		const credential = new GenerationGatewayApi();
		return await credential.preAuthentication.call({ helpers: { httpRequest } }, data);
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
			/^The gateway could not be reached \(connect ECONNREFUSED 127\.0\.0\.1:9\)\. Check Base URL .* localhost is the container itself\.$/,
		],
		[
			'the name of the host is not known',
			'http://gateway.invalid',
			/^The gateway could not be reached \(.*gateway\.invalid\)\. No host has the name in Base URL\. Check its spelling/,
		],
		['there is no address', 'gateway', /^Base URL must start with https/],
	])('%s', async (_what, baseUrl, words) => {
		const error = await catchError(beforeTest({ baseUrl, apiKey: KEY }));

		expect(error.message).toMatch(words);
		expect(error.message).not.toContain(KEY);
	});

	it('the address is silent, after 10 s', async () => {
		await silent(async (baseUrl) => {
			const error = await catchError(beforeTest({ baseUrl, apiKey: KEY }, 50));

			expect(error.message).toBe('The gateway was silent for 10 s. Check Base URL.');
			expect(timeouts).toEqual([10_000]);
		});
	});
});

it('says nothing where the gateway answers, whatever that is', async () => {
	const sandbox = await startSandbox();
	try {
		const answers = [KEY, sandbox.key].map(
			async (apiKey) => await beforeTest({ baseUrl: sandbox.url, apiKey }),
		);
		expect(await Promise.all(answers)).toEqual([{}, {}]);
	} finally {
		await sandbox.close();
	}
});

it('is asked by n8n in a test only', () => {
	const [expirable] = new GenerationGatewayApi().properties.filter(
		({ typeOptions }) => typeOptions?.expirable,
	);

	expect(expirable).toMatchObject({ type: 'hidden', default: expect.stringMatching(/./) });
});
