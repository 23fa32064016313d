import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { FileTooLargeError } from 'n8n-core';
import type { IExecuteFunctions } from 'n8n-workflow';
import { createLimiter } from '../../nodes/gateway/concurrency';
import { downloadFile, downloadResults } from '../../nodes/n8n/binary/download';
import { catchError, withClient } from '../support/gatewayClient';
import { until, useSandbox } from '../support/useSandbox';

const PNG = Buffer.concat([
	Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
	Buffer.alloc(100, 'x'),
]);
const fixture = useSandbox();

type Answer = (response: ServerResponse) => unknown;
const png: Answer = (response) => response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
const silence: Answer = (response) => response.writeHead(200).write(PNG);

/** What the host answers, one request after the other; the last answer again and again. */
let answers: Answer[] = [];
const requests: IncomingMessage[] = [];
const sockets = new Set<Socket>();
const host = createServer((request, response) => {
	const answer = answers[Math.min(requests.length, answers.length - 1)]!;
	requests.push(request);
	answer(response);
}).on('connection', (socket) => {
	sockets.add(socket);
	socket.on('close', () => sockets.delete(socket));
});
const link = (name = 'a.png') => `http://127.0.0.1:${(host.address() as AddressInfo).port}/${name}`;
const expectAllClosed = async () => {
	await until(() => sockets.size === 0);
	expect(sockets.size).toBe(0);
};

beforeAll(async () => await new Promise<void>((done) => void host.listen(0, '127.0.0.1', done)));
beforeEach(() => void (requests.length = 0));
afterAll(async () => {
	host.closeAllConnections();
	await new Promise((done) => void host.close(done));
});

const inNode = async <T>(work: (context: IExecuteFunctions) => Promise<T>) =>
	await withClient(fixture.sandbox, async (_client, context) => await work(context));
const options = { allowsPrivate: true, silenceMs: 60_000 };
const load = async (more: object = {}) =>
	await inNode((context) => downloadFile(context, link(), 'picture', { ...options, ...more }));
const loadAll = async (count: number, signal?: AbortSignal, atOnce = 10) =>
	await inNode((context) => {
		const urls = Array.from({ length: count }, (_, at) => link(`${at}.png`));
		const task = { taskId: 'task_1', status: 'completed', progress: 100, urls, raw: {} };
		const names = { field: 'data', file: 'picture' };
		return downloadResults(context, task, names, { limit: createLimiter(atOnce), signal });
	});

describe('a host of files', () => {
	it.each([
		['image/png', '<html>Sign in</html>'],
		['image/png', '{"error":"expired"}'],
		['application/xml', '<Error>AccessDenied</Error>'],
		['', '<html>Sign in</html>'],
	])('is asked again where it sends a page as "%s": %s', async (type, page) => {
		answers = [(response) => response.writeHead(200, { 'content-type': type }).end(page), png];

		expect(await load()).toMatchObject({ bytes: PNG.length, mimeType: 'image/png' });
		expect(requests).toHaveLength(2);
	});

	it('may label a picture as a text, and send it in pieces of any size', async () => {
		answers = [
			(response) => {
				response.writeHead(200, { 'content-type': 'text/plain' }).write(PNG.subarray(0, 8));
				setTimeout(() => response.end(PNG.subarray(8)), 30);
			},
		];

		expect(await load()).toMatchObject({ bytes: PNG.length, mimeType: 'image/png' });
		expect(requests).toHaveLength(1);
	});

	it.each([
		['image/svg+xml', '<svg/>'],
		['video/x-subtitles', '00:01 Hello'],
	])('may send a text as %s', async (type, text) => {
		answers = [(response) => response.writeHead(200, { 'content-type': type }).end(text)];

		expect(await load()).toMatchObject({ bytes: text.length, mimeType: type });
	});

	it.each(['IMAGE/PNG', 'application/octet-stream', 'binary/octet-stream'])(
		'may label it as %s',
		async (type) => {
			answers = [(response) => response.writeHead(200, { 'content-type': type }).end(PNG)];

			expect(await load()).toMatchObject({ mimeType: 'image/png', fileName: 'picture.png' });
		},
	);

	it.each(['application/octet-stream', ''])(
		'is known by its first bytes where neither "%s" nor the link says what it is',
		async (type) => {
			answers = [(response) => response.writeHead(200, { 'content-type': type }).end(PNG)];
			const loaded = await inNode((context) =>
				downloadFile(context, link('file'), 'picture', { ...options }),
			);

			expect(loaded).toMatchObject({
				bytes: PNG.length,
				mimeType: 'image/png',
				fileName: 'picture.png',
			});
		},
	);

	it.each([
		['image/jpg', 'jpg'],
		['image/gif', 'gif'],
		['video/quicktime', 'mov'],
		['video/webm', 'webm'],
		['application/x-thing', 'bin'],
	])('names a file of the type %s .%s', async (type, ending) => {
		answers = [(response) => response.writeHead(200, { 'content-type': type }).end(PNG)];
		const loaded = await inNode((context) => downloadFile(context, link('file'), 'kite', options));

		expect(loaded.fileName).toBe(`kite.${ending}`);
	});

	const ranged = { 'content-range': `bytes 0-${PNG.length - 1}/${PNG.length}` };
	it.each<[string, Answer[]]>([
		['203, of a proxy', [(response) => response.writeHead(203).end(PNG)]],
		['206, with all of it', [(response) => response.writeHead(206, ranged).end(PNG)]],
		['202, and then the file', [(response) => response.writeHead(202).end('soon'), png]],
		['204, and then the file', [(response) => response.writeHead(204).end(), png]],
	])('may send the file with status %s', async (_status, given) => {
		answers = given;

		expect(await load()).toMatchObject({ bytes: PNG.length });
		expect(requests).toHaveLength(given.length);
	});

	it('has not sent the file with a part of it', async () => {
		const range = { 'content-range': `bytes 0-${PNG.length - 1}/${PNG.length + 1}` };
		for (const headers of [{}, range]) {
			answers = [(response) => response.writeHead(206, headers).end(PNG)];

			expect(await catchError(load())).toMatchObject({
				code: 'download_failed',
				message: expect.stringContaining('could not be downloaded (206)'),
			});
		}
	});

	it('is asked for the file as it is, since its size is stated', async () => {
		answers = [png];
		await load();

		expect(requests[0]!.headers['accept-encoding']).toBe('identity');
	});

	it.each([301, 404, 503])('does not keep a connection by a body after %i', async (status) => {
		const endless: Answer = (response) =>
			response.writeHead(status, { location: '/b.png' }).write('x');
		answers = status === 404 ? [endless] : [endless, png];
		const loaded = await load().catch(({ code }: { code: string }) => code);

		expect(loaded).toEqual(
			status === 404 ? 'link_expired' : expect.objectContaining({ bytes: PNG.length }),
		);
		await expectAllClosed();
	});

	const unlabelled: Answer = (response) => response.writeHead(200).write(PNG);
	it.each([
		[1, 'a.png', png],
		[9, 'a.png', png],
		[9, 'file', unlabelled],
	])('is not to blame when n8n cannot store it, %i times: %s', async (times, name, answer) => {
		answers = [answer];
		let failures = 0;
		const loading = inNode((context) => {
			const store: IExecuteFunctions['helpers']['prepareBinaryData'] = async (...given) => {
				if ((failures += 1) <= times) throw new Error('ENOSPC: no space left');
				return await context.helpers.prepareBinaryData(...given);
			};
			const helpers = { ...context.helpers, prepareBinaryData: store };
			const node = { helpers, getCredentials: context.getCredentials };
			return downloadFile(node, link(name), 'picture', options);
		});
		const stored = await loading.catch(({ message }: Error) => message);

		expect(stored).toEqual(
			times === 1
				? expect.objectContaining({ bytes: PNG.length })
				: 'The task is done, but n8n could not store its file (ENOSPC: no space left)',
		);
		expect(requests).toHaveLength(2);
		await expectAllClosed();
	});

	it('is asked once where the file is too large for the database of n8n, whose words are told', async () => {
		answers = [png];
		const fileId = '0038d3d1-cc78-408d-a8a2-ba6ef667814c';
		const size = { fileSizeMb: 700, maxFileSizeMb: 512 };
		const loading = inNode(({ helpers, getCredentials }) => {
			const prepareBinaryData = async (_file: unknown, fileName?: string): Promise<never> => {
				throw new FileTooLargeError({ ...size, fileId, fileName });
			};
			const node = { helpers: { ...helpers, prepareBinaryData }, getCredentials };
			return downloadFile(node, link(), 'clipk-v2.6-pro-1', options);
		});

		const { message, details } = await catchError(loading);
		expect(message).toMatch(
			/size of 700 MB exceeds the max size limit of 512 MB .*N8N_BINARY_DATA_DATABASE_MAX_FILE_SIZE/,
		);
		expect(details.retry).toBe(false);
		expect(requests).toHaveLength(1);
		await expectAllClosed();
	});
});

describe('the files of a task', () => {
	it('are not loaded any more when one of them cannot be had', async () => {
		answers = [silence, silence, (response) => response.writeHead(410).end()];

		expect(await catchError(loadAll(3))).toMatchObject({ code: 'link_expired' });
		await expectAllClosed();
	});

	it('are not begun after the stop, and nothing stays open', async () => {
		answers = [silence];
		const user = new AbortController();
		void until(() => requests.length === 2).then(() => user.abort());

		expect(await catchError(loadAll(20, user.signal, 2))).toMatchObject({ code: 'stopped' });
		expect(requests).toHaveLength(2);
		await expectAllClosed();
		expect(await catchError(loadAll(1, user.signal))).toMatchObject({ code: 'stopped' });
		expect(requests).toHaveLength(2);
	});
});
