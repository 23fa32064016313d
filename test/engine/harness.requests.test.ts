import {
	NodeApiError,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IDataObject,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';
import type { Readable } from 'node:stream';
import { file, itemsNode, linear, runWorkflow, type EngineOptions } from '../../scripts/engine';
import { countBytes, PROBE, runProbe, withServer } from '../support/probeNode';

describe('the engine harness: requests and files', () => {
	const credentialType: ICredentialType = {
		name: 'probeApi',
		displayName: 'Probe API',
		properties: [
			{ displayName: 'Key', name: 'apiKey', type: 'string', default: '' },
			{
				displayName: 'Base URL',
				name: 'baseUrl',
				type: 'string',
				default: 'https://default.example',
			},
		],
		authenticate: async (
			credentials: ICredentialDataDecryptedObject,
			request: IHttpRequestOptions,
		) => ({
			...request,
			headers: { ...request.headers, Authorization: `Bearer ${String(credentials.apiKey)}` },
		}),
	};
	const withKey: EngineOptions = {
		credentialTypes: { probeApi: credentialType },
		credentials: { probeApi: { apiKey: 'sk-1' } },
	};
	const probe = { type: PROBE, credentials: 'probeApi' };

	it('signs requests with a credential that authenticates by a function', async () => {
		const result = await withServer(
			(request, response) =>
				response
					.setHeader('content-type', 'application/json')
					.end(JSON.stringify({ authorization: request.headers.authorization })),
			async (url) =>
				await runProbe(
					linear(itemsNode([{}]), probe),
					async (context) => {
						const { baseUrl } = await context.getCredentials('probeApi');
						const answer = (await context.helpers.httpRequestWithAuthentication.call(
							context,
							'probeApi',
							{ url, json: true },
						)) as IDataObject;
						return [{ json: { ...answer, baseUrl: baseUrl as string } }];
					},
					withKey,
				),
		);

		expect(result.json('probe')).toEqual([
			{ authorization: 'Bearer sk-1', baseUrl: 'https://default.example' },
		]);
	});

	it("signs requests of n8n's HTTP Request node with a declarative credential", async () => {
		const result = await withServer(
			(request, response) =>
				response
					.setHeader('content-type', 'application/json')
					.end(JSON.stringify({ key: request.headers['x-api-key'] })),
			async (url) =>
				await runWorkflow(
					linear(itemsNode([{}]), {
						type: 'n8n-nodes-base.httpRequest',
						typeVersion: 4.2,
						credentials: 'httpHeaderAuth',
						parameters: {
							url,
							authentication: 'genericCredentialType',
							genericAuthType: 'httpHeaderAuth',
						},
					}),
					{ credentials: { httpHeaderAuth: { name: 'X-Api-Key', value: 'sk-2' } } },
				),
		);

		expect(result.error).toBeUndefined();
		expect(result.json('httpRequest')).toEqual([{ key: 'sk-2' }]);
	});

	it('wraps a refused request as n8n does', async () => {
		const seen: unknown[] = [];
		const result = await withServer(
			(_request, response) =>
				response
					.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' })
					.end('{"error":"slow down"}'),
			async (url) =>
				await runProbe(
					linear(itemsNode([{}]), probe),
					async (context) => {
						try {
							await context.helpers.httpRequestWithAuthentication.call(context, 'probeApi', {
								url,
							});
						} catch (error) {
							seen.push(error);
							throw error;
						}
						return [];
					},
					withKey,
				),
		);

		expect(seen[0]).toBeInstanceOf(NodeApiError);
		expect(result.nodeError('probe')).toMatchObject({ httpCode: '429' });
	});

	it('streams an answer into a stored file and reads it back', async () => {
		const content = Buffer.alloc(300_000, 'frame');
		const result = await withServer(
			(_request, response) => response.setHeader('content-type', 'video/mp4').end(content),
			async (url) =>
				await runProbe(linear(itemsNode([{}]), probe), async (context) => {
					const { body, headers } = (await context.helpers.httpRequest({
						url,
						encoding: 'stream',
						returnFullResponse: true,
					})) as IN8nHttpFullResponse;
					const data = await context.helpers.prepareBinaryData(
						body as Readable,
						'clip.mp4',
						headers['content-type'] as string,
					);
					const stream = await context.helpers.getBinaryStream(data.id!);
					return [
						{
							json: {
								read: await countBytes(stream),
								link: context.helpers.createBinarySignedUrl(data, '1h'),
							},
							binary: { data },
						},
					];
				}),
		);
		const [item] = result.items('probe');

		expect(result.error).toBeUndefined();
		expect(item?.binary?.data).toMatchObject({
			id: expect.stringMatching(/^filesystem-v2:/),
			data: 'filesystem-v2',
			mimeType: 'video/mp4',
			fileName: 'clip.mp4',
			bytes: 300_000,
		});
		expect(item?.json).toEqual({
			read: 300_000,
			link: expect.stringMatching(/^http:\/\/localhost:5678\/rest\/binary-data\/signed\?token=ey/),
		});
		expect((await result.binary(item)).equals(content)).toBe(true);
	});

	it.each(['filesystem', 'default'] as const)(
		'gives the first node files in %s mode',
		async (binaryMode) => {
			const result = await runProbe(
				linear(
					itemsNode([
						{ json: { n: 1 }, binary: { data: file('hello', 'note.txt', 'text/plain') } },
					]),
					{ type: PROBE },
				),
				async (context) => [
					{
						json: { text: (await context.helpers.getBinaryDataBuffer(0, 'data')).toString() },
						binary: context.getInputData()[0]?.binary,
					},
				],
				{ binaryMode },
			);
			const [item] = result.items('probe');

			expect(item?.json).toEqual({ text: 'hello' });
			expect(item?.binary?.data?.id === undefined).toBe(binaryMode === 'default');
			expect((await result.binary(item)).toString()).toBe('hello');
		},
	);
});
