import { Readable } from 'stream';
import { createClient } from '../../nodes/gateway/client';
import { CredentialCache, readCredential, type CredentialReader } from '../../nodes/n8n/credential';
import { createGatewayContext } from '../../nodes/n8n/gatewayContext';
import { systemClock } from '../../nodes/n8n/systemClock';

const KEY = 'sk-one';
let now: number;
let reads: number;
let keys: unknown[];
let readKey: () => Promise<unknown>;
/** The status of the gateway's answer. */
let answer: () => number;

interface RequestContext {
	getCredentials: (type: string) => Promise<{ apiKey: unknown }>;
}

async function requestWithCredential(this: RequestContext, type: string) {
	const credential = await this.getCredentials(type).catch((error: Error) => {
		throw new Error(error.message);
	});
	keys.push(credential.apiKey);
	credential.apiKey = 'spoiled';
	return { statusCode: answer(), headers: {}, body: Readable.from([Buffer.from('{}')]) };
}

/** A node of n8n whose requests read the credential as n8n's own helper does: 1.x keeps only the message of an error. */
function createContext() {
	const node = {
		getNode: () => ({ name: 'Gateway' }),
		getCredentials: async () => {
			reads += 1;
			return { baseUrl: 'http://gateway', apiKey: await readKey() };
		},
		helpers: { httpRequestWithAuthentication: requestWithCredential },
	};
	return createGatewayContext(node as never);
}

const request = {
	method: 'GET' as const,
	path: '/v1/models',
	headers: {},
	timeoutMs: 1_000,
	signal: new AbortController().signal,
};

beforeEach(() => {
	now = Date.parse('2026-11-22T00:00:00Z');
	jest.spyOn(systemClock, 'now').mockImplementation(() => now);
	[reads, keys] = [0, []];
	readKey = async () => KEY;
	answer = () => 200;
});
afterEach(() => jest.restoreAllMocks());

it('is read once for the requests of a run, also for those that begin together', async () => {
	const context = createContext();
	await Promise.all(Array.from({ length: 20 }, async () => await context.send(request)));
	for (let at = 0; at < 20; at += 1) await context.send(request);

	expect(await context.getSecret()).toBe(KEY);
	expect(reads).toBe(1);
	expect(new Set(keys)).toEqual(new Set([KEY]));
});

it('is read again soon, so that a changed key counts', async () => {
	const context = createContext();
	await context.send(request);
	readKey = async () => 'sk-two';
	now += 4_000;
	await context.send(request);
	now += 1_000;
	await context.send(request);

	expect(keys).toEqual([KEY, KEY, 'sk-two']);
	expect(await context.getSecret()).toBe('sk-two');
});

it.each([
	[
		'an expression in it can only be read while the node runs',
		Object.assign(new Error('No data'), { name: 'ExpressionError' }),
	],
	['the database of n8n is away for a moment', new Error('Driver not Connected')],
])('stays as it was read where %s', async (_why, error) => {
	const context = createContext();
	await context.send(request);
	readKey = async () => await Promise.reject(error);
	now += 5_000;
	await context.send(request);
	now += 5_000;
	await context.send(request);
	readKey = async () => 'sk-two';
	now += 5_000;
	await context.send(request);

	expect(keys).toEqual([KEY, KEY, KEY, 'sk-two']);
});

it.each([
	'Credential with ID "1" does not exist for type "generationGatewayApi".',
	'This credential cannot be used in workflows',
	'Decrypted credentials data is not valid JSON.',
])('does not stay where n8n refuses it: %s', async (reason) => {
	const context = createContext();
	await context.send(request);
	readKey = async () => await Promise.reject(new Error(reason));
	now += 5_000;

	await expect(context.send(request)).rejects.toThrow(reason);
	expect(keys).toEqual([KEY]);
});

it.each([
	'Credentials could not be decrypted. The likely reason is that a different "encryptionKey" was used to encrypt the data.',
	'Decrypted credentials data is not valid JSON.',
])('that n8n cannot decrypt is not to be replaced: %s', async (reason) => {
	readKey = async () => await Promise.reject(new Error(reason));

	await expect(createContext().send(request)).rejects.toMatchObject({
		code: 'invalid_credential',
		message: reason,
		hint: expect.stringMatching(/^Start all processes of n8n with the same N8N_ENCRYPTION_KEY\./),
	});
	expect(keys).toEqual([]);
});

it('is read again where n8n could not read it, for a request that was not sent', async () => {
	const context = createContext();
	const away = async () => await Promise.reject(new Error('Driver not Connected'));
	readKey = away;
	await expect(context.send(request)).rejects.toMatchObject({
		code: 'connection_failed',
		message: 'n8n could not read the credential (Driver not Connected)',
		hint: 'Run again when n8n reaches its database.',
		details: { billed: 0, retry: true },
	});
	readKey = async () => {
		readKey = async () => KEY;
		return await away();
	};
	const client = createClient(context, { concurrency: 1 });
	await client.request({ kind: 'write', method: 'POST', path: '/v1/chat/completions' });

	expect(keys).toEqual([KEY]);
});

it('is read by each run for itself', async () => {
	await createContext().send(request);
	await createContext().send(request);

	expect(reads).toBe(2);
});

it.each(['is not accepted any more', 'names a gateway that cannot be reached'])(
	'is read again for the next request where it %s',
	async (reason) => {
		const context = createContext();
		await context.send(request);
		answer = () => {
			if (reason === 'is not accepted any more') return 401;
			throw new Error('connect ECONNREFUSED');
		};
		await context.send(request).catch(() => undefined);
		answer = () => 200;
		readKey = async () => 'sk-two';
		// What the gateway has said may quote the key that was refused.
		expect(await context.getSecret()).toBe(KEY);
		await context.send(request);

		expect(keys).toEqual([KEY, KEY, 'sk-two']);
	},
);

it('that was read can be kept for longer', async () => {
	const getCredentials = jest.fn(async () => ({ apiKey: KEY }));
	const node = { getCredentials } as unknown as CredentialReader;
	await readCredential(node);
	CredentialCache.of(node).keptMs = 60_000;
	now += 59_000;

	expect(await readCredential(node)).toEqual({ apiKey: KEY });
	expect(getCredentials).toHaveBeenCalledTimes(1);
	now += 1_000;
	await readCredential(node);
	expect(getCredentials).toHaveBeenCalledTimes(2);
});
