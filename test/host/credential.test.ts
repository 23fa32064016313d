import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CREDENTIAL } from '../../scripts/host/n8nHost';
import { hostsOr } from '../support/hosts';
import { useHost } from '../support/useHost';

describe.each(hostsOr('newest', 'oldest'))('the test of the credential in n8n $n8n', (version) => {
	const fixture = useHost(version);
	let silent: Server;
	beforeAll(async () => {
		silent = createServer(() => undefined).listen(0, '127.0.0.1');
		await new Promise((done) => silent.once('listening', done));
	});
	afterAll(() => {
		silent.closeAllConnections();
		silent.close();
	});

	it.each([
		['the right key', () => ({}), 'OK', 'Connection successful!'],
		['a wrong key', () => ({ apiKey: 'sk-wrong' }), 'Error', 'does not accept the API key'],
		['a web page', () => ({ baseUrl: fixture.host.url }), 'Error', 'it is no gateway'],
		[
			'no server',
			() => ({ baseUrl: 'http://localhost:9' }),
			'Error',
			'Check Base URL in the credential, and that the gateway runs',
		],
		[
			'a name that nobody has',
			() => ({ baseUrl: 'http://gateway.invalid' }),
			'Error',
			'No host has the name in Base URL',
		],
		[
			'a silent server',
			() => ({ baseUrl: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` }),
			'Error',
			'The gateway was silent for 10 s',
		],
		['no address', () => ({ baseUrl: 'gateway' }), 'Error', 'Base URL'],
	])('says in words what it found: %s', async (_name, data, status, words) => {
		fixture.sandbox.settings.quotaExhausted = true;
		const { url: baseUrl, key: apiKey } = fixture.sandbox;
		const credentials = { ...CREDENTIAL, data: { baseUrl, apiKey, ...data() } };
		const result = await fixture.host.rest<object>('POST', '/credentials/test', { credentials });

		expect(result).toMatchObject({ status, message: expect.stringContaining(words) });
		expect(JSON.stringify(result)).not.toContain(apiKey);
	});
});
