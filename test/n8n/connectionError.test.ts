import { toConnectionError } from '../../nodes/n8n/connectionError';

const node = { getCredentials: async <T extends object>() => ({ apiKey: 'sk-1' }) as T };

/** The details of an error with these properties, two layers deep as n8n hands it on. */
async function detailsOf(facts: { code: string; syscall?: string }, message = 'No') {
	const cause = Object.assign(new Error(message), facts);
	const { code } = facts;
	const layer = Object.assign(new Error(message, { cause }), { code });
	return (await toConnectionError(node, new Error('No', { cause: layer }), 1_000)).details;
}

describe('an error of a connection', () => {
	it.each([
		['ECONNREFUSED', 'connect'],
		['EHOSTUNREACH', 'connect'],
		['ENETUNREACH', 'connect'],
		['ENOTFOUND', 'getaddrinfo'],
		['EAI_AGAIN', 'getaddrinfo'],
	])('came before anything was sent: %s', async (code, syscall) => {
		expect(await detailsOf({ code, syscall })).toEqual({ billed: 0, retry: true });
	});

	it.each([
		'DEPTH_ZERO_SELF_SIGNED_CERT',
		'SELF_SIGNED_CERT_IN_CHAIN',
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
		'CERT_HAS_EXPIRED',
		'ERR_TLS_CERT_ALTNAME_INVALID',
	])('came before anything was sent, and will come again: %s', async (code) => {
		expect(await detailsOf({ code })).toEqual({ billed: 0, retry: false });
	});

	it.each([
		['ECONNRESET', 'read'],
		['EPIPE', 'write'],
		['ETIMEDOUT', 'connect'],
		['EHOSTUNREACH', 'read'],
		['ENETUNREACH', 'write'],
		['ECONNRESET', undefined],
	])('does not tell whether the request was sent: %s of %s', async (code, syscall) => {
		expect(await detailsOf({ code, syscall }, 'socket hang up')).toEqual({ retry: true });
	});

	it('is none of the credential where the name of a host reads like one', async () => {
		const message = 'getaddrinfo ENOTFOUND credentials.example.com';
		const error = Object.assign(new Error(message), { code: 'ENOTFOUND' });

		expect(await toConnectionError(node, error, 1_000)).toMatchObject({
			code: 'connection_failed',
			details: { billed: 0 },
		});
	});

	it('has a hint of its own where the connection broke', async () => {
		const error = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
		const { hint } = await toConnectionError(node, error, 1_000);

		expect(hint).toBe(
			'The connection broke before an answer came. Run again later, with smaller files where it has large ones.',
		);
	});

	const blocked = 'The request was blocked because';
	it.each([
		[
			'write EPROTO 405D:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/record.c:77:\n',
			'write EPROTO wrong version number',
			'http://',
		],
		...['it resolves to a restricted IP address', 'the destination hostname is restricted'].map(
			(why) => [`${blocked} ${why}`, `${blocked} ${why}`, 'N8N_SSRF_ALLOWED_HOSTNAMES'],
		),
	])('says that nothing was sent, and what to set: %s', async (words, reason, hint) => {
		const facts = words.startsWith('write') ? { code: 'EPROTO', syscall: 'write' } : {};
		const cause = Object.assign(new Error(words), facts);
		const found = await toConnectionError(node, new Error('No', { cause }), 1_000);

		expect(found.message).toBe(`The gateway could not be reached (${reason})`);
		expect(found.hint).toContain(hint);
		expect(found.details).toEqual({ billed: 0, retry: false });
	});

	it('says nothing of the kind where a connection in use broke with the same words', async () => {
		const error = Object.assign(new Error('SSL routines:ssl3_get_record:wrong version number'), {
			code: 'ERR_SSL_WRONG_VERSION_NUMBER',
		});
		const { details, hint } = await toConnectionError(node, error, 1_000);

		expect(details).toEqual({ retry: true });
		expect(hint).not.toContain('http://');
	});

	it.each([
		'timeout of 8000ms exceeded',
		'The connection was aborted, perhaps the server is offline',
	])('is silence in the words of each host: %s', async (message) => {
		expect((await toConnectionError(node, new Error(message), 8_000)).code).toBe('timeout');
	});
});
