import { clientOf, readError, useSandbox } from '../support/useSandbox';

const chat = { model: 'gp-5', messages: [{ role: 'user', content: 'hi' }] };
const message = {
	model: 'cld-opus-4.6',
	max_tokens: 9,
	messages: [{ role: 'user', content: 'hi' }],
};
const native = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const generate = '/v1/models/gmn-2.5-pro:generateContent';

describe('keys', () => {
	const fixture = useSandbox();
	const send = async (
		method: string,
		url: string,
		headers: Record<string, string>,
		data?: unknown,
	): Promise<Record<string, unknown>> =>
		readError(await clientOf(fixture.sandbox.url).request({ method, url, headers, data }));
	const right = { authorization: 'Bearer sandbox-key' };

	it.each([
		['POST', '/v1/tasks', { model: 'imgn-4.0', prompt: 'hi' }],
		['GET', '/v1/tasks/task_1', undefined],
		['POST', '/v1/tasks/task_1/cancel', undefined],
		['GET', '/v1/assets', undefined],
		['GET', '/v1/models', undefined],
		['POST', '/v1/chat/completions', chat],
		['POST', '/v1/responses', { model: 'gp-5', input: 'hi' }],
		['POST', '/v1/embeddings', { model: 'text-embedding-3-small', input: 'hi' }],
		['POST', '/v1/audio/transcriptions', new URLSearchParams({})],
	])('%s %s wants a Bearer key', async (method, url, data) => {
		for (const headers of [
			{},
			{ authorization: 'Bearer wrong' },
			{ authorization: 'sandbox-key' },
			{ 'x-api-key': 'sandbox-key' },
		]) {
			const error = await send(method, url, headers as Record<string, string>, data);
			expect(error).toMatchObject({ status: 401, code: 401, type: 'authentication_error' });
		}
		expect((await send(method, url, right, data)).status).not.toBe(401);
	});

	it('messages want x-api-key or Bearer, and ax-version', async () => {
		const version = { 'ax-version': '2023-06-01' };
		const path = '/v1/messages';
		expect(await send('POST', path, version, message)).toMatchObject({ status: 401 });
		expect(await send('POST', path, { 'x-api-key': 'sandbox-key' }, message)).toMatchObject({
			status: 400,
			param: 'ax-version',
		});
		expect(
			await send('POST', path, { 'x-api-key': 'sandbox-key', ...version }, message),
		).toMatchObject({ status: 200 });
		expect(await send('POST', path, { ...right, ...version }, message)).toMatchObject({
			status: 200,
		});
	});

	it('generateContent wants x-g-api-key', async () => {
		expect(await send('POST', generate, right, native)).toMatchObject({ status: 401 });
		expect(await send('POST', generate, { 'x-g-api-key': 'sandbox-key' }, native)).toMatchObject({
			status: 200,
		});
		expect(
			await send('POST', generate.replace(':', '%3A'), { 'x-g-api-key': 'sandbox-key' }, native),
		).toMatchObject({ status: 200 });
	});

	it('a known key may be forbidden', async () => {
		fixture.sandbox.settings.forbiddenKeys = ['sandbox-key'];
		expect(await send('GET', '/v1/models', right)).toMatchObject({
			status: 403,
			type: 'permission_error',
		});
	});

	it('an unknown path is 404 and broken JSON is 400', async () => {
		expect(await send('GET', '/v1/nothing', right)).toMatchObject({ status: 404 });
		const headers = { ...right, 'content-type': 'application/json' };
		const broken = await clientOf(fixture.sandbox.url).post('/v1/tasks', '{"model"', {
			headers,
			transformRequest: (data) => data,
		});
		expect(readError(broken)).toMatchObject({ status: 400, type: 'invalid_request_error' });
	});
});
