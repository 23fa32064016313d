import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { downloadFile } from '../../nodes/n8n/binary/download';
import { systemClock } from '../../nodes/n8n/systemClock';
import { onFastClock } from '../support/fastClock';
import { until, useSandbox } from '../support/useSandbox';
import { toPublicUrl } from '../support/publicHost';
import { catchError, withClient } from '../support/gatewayClient';

const fixture = useSandbox();
const options = { allowsPrivate: true };
const big = (bytes: number) => `${fixture.sandbox.url}/files/big?bytes=${bytes}`;

describe('the download of a file', () => {
	it('streams it, and names it after the task where the link has no name', async () => {
		const stored = await withClient(fixture.sandbox, (_client, context) =>
			downloadFile(context, big(300_000), 'task_1_0', options),
		);

		expect(stored).toMatchObject({
			fileName: 'task_1_0.bin',
			mimeType: 'application/octet-stream',
			bytes: 300_000,
		});
	});

	it.each([
		['../../../../tmp/owned\0-1', 'tmp_owned_-1.bin'],
		['..\\..\\owned', 'owned.bin'],
		['={{ $env.HOME }}', 'env.HOME_.bin'],
		['..', 'file.bin'],
		['clipk-v2.6@fast-3', 'clipk-v2.6@fast-3.bin'],
		['凧-1', '凧-1.bin'],
	])('names it by %j without a path: %s', async (name, fileName) => {
		const stored = await withClient(fixture.sandbox, (_client, context) =>
			downloadFile(context, big(10), name, options),
		);

		expect(stored.fileName).toBe(fileName);
		expect(stored.directory ?? '').toBe('');
	});

	it('tries again when the host stalls, as after any other fault', async () => {
		fixture.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'hang' });
		const stored = await withClient(fixture.sandbox, (_client, context) =>
			downloadFile(context, big(1000), 'task_1_0', { ...options, silenceMs: 150 }),
		);

		expect(stored.bytes).toBe(1000);
		expect(fixture.sandbox.downloads).toHaveLength(2);
	});

	it('gives a slow file its time, as long as it keeps coming', async () => {
		fixture.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'slow-body', bodyMs: 900 });
		const stored = await withClient(fixture.sandbox, (_client, context) =>
			downloadFile(context, big(1_000_000), 'task_1_0', { ...options, silenceMs: 400 }),
		);

		expect(stored.bytes).toBe(1_000_000);
		expect(fixture.sandbox.downloads).toHaveLength(1);
	});

	it('gives a file up that comes too slowly', async () => {
		const server = createServer((_request, response) => {
			for (let piece = 0; piece < 5; piece += 1)
				setTimeout(() => response.write(Buffer.alloc(10)), piece * 30);
			setTimeout(() => response.end(), 200);
		});
		await new Promise<void>((resolve) => server.listen(0, resolve));
		const link = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`;
		// Forty seconds pass between any two looks at the clock.
		let now = systemClock.now();
		jest.spyOn(systemClock, 'now').mockImplementation(() => (now += 40_000));
		const loading = withClient(fixture.sandbox, (_client, context) =>
			downloadFile(context, link, 'task_1_0', options),
		);

		const error = await catchError(loading).finally(() => {
			jest.restoreAllMocks();
			server.close();
		});
		expect(error).toMatchObject({
			code: 'download_failed',
			message: expect.stringContaining('could not be downloaded (fewer than 1000 bytes a second)'),
		});
	});

	describe('whose body stalls', () => {
		let requests = 0;
		/** How many of the first requests stall after a part of their body. */
		let stalled = 0;
		const server = createServer((_request, response) => {
			requests += 1;
			response.writeHead(200, { 'content-length': 1000 }).write(Buffer.alloc(600));
			if (requests > stalled) response.end(Buffer.alloc(400));
		});
		const fetchFile = async (silenceMs: number, signal?: AbortSignal) =>
			await withClient(fixture.sandbox, (_client, context) => {
				const link = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`;
				return downloadFile(context, link, 'task_1_0', { ...options, silenceMs, signal });
			});

		beforeAll(
			async () => await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)),
		);
		beforeEach(() => void (requests = 0));
		afterAll(async () => {
			server.closeAllConnections();
			await new Promise((done) => void server.close(done));
		});

		it('tries again after the silence', async () => {
			stalled = 1;

			expect(await fetchFile(300)).toMatchObject({ bytes: 1000, fileName: 'task_1_0.png' });
			expect(requests).toBe(2);
		});

		it(
			'ends as a failed download when every body stalls',
			onFastClock(async () => {
				stalled = 9;

				expect(await catchError(fetchFile(2_000))).toMatchObject({
					code: 'download_failed',
					message: expect.stringContaining('could not be downloaded (no byte for 2 s)'),
					details: { retry: true },
				});
				expect(requests).toBe(6);
			}),
		);

		it('ends at once when the user stops the execution', async () => {
			stalled = 9;
			const user = new AbortController();
			void until(() => requests > 0).then(() => user.abort());
			await catchError(fetchFile(60_000, user.signal));

			expect(requests).toBe(1);
		});
	});

	it.each([
		['{"error":{"message":"Try again"}}'],
		['{"error":{"message":"上游暂时不可用"}}'],
		['\uFEFF<html>Später</html>'],
	])('tells a file by its bytes and not by its label: %s is none', async (page) => {
		const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
		const bodies = [Buffer.from(page), png];
		const server = createServer((_request, response) => {
			response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
			response.end(bodies.shift());
		});
		await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
		const link = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`;
		const stored = await withClient(fixture.sandbox, (_client, context) =>
			downloadFile(context, link, 'task_1_0', options),
		);
		server.closeAllConnections();
		server.close();

		expect(stored).toMatchObject({ bytes: png.length, mimeType: 'image/png' });
	});

	it('ends at once when the user stops the execution', async () => {
		const user = new AbortController();
		fixture.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'hang' });
		void until(() => fixture.sandbox.downloads.length > 0).then(() => user.abort());
		await catchError(
			withClient(
				fixture.sandbox,
				(client, context) =>
					downloadFile(context, big(1000), 'task_1_0', {
						...options,
						signal: client.context.signal,
					}),
				{ signal: user.signal },
			),
		);

		expect(fixture.sandbox.downloads).toHaveLength(1);
	});

	it.each([
		[404, false],
		[410, false],
		[403, false],
		[500, true],
		[429, true],
	])(
		'after %i says whether a retry makes sense: %s',
		onFastClock(async (status, retry) => {
			fixture.sandbox.faults.add({ match: { path: /^\/files\// }, times: 9, kind: { status } });
			const error = await catchError(
				withClient(fixture.sandbox, (_client, context) =>
					downloadFile(context, big(1000), 'task_1_0', options),
				),
			);

			expect(error.code).toBe(retry ? 'download_failed' : 'link_expired');
			expect(error.message).toContain(`(${status})`);
			expect(error.details).toMatchObject({ retry, http_status: status });
			expect(fixture.sandbox.downloads).toHaveLength(retry ? 6 : 1);
		}),
	);
});

describe('a link to a file', () => {
	let redirects: Record<string, string> = {};
	const redirector = createServer(
		(request, response) =>
			void response.writeHead(302, { location: redirects[request.url!] ?? '/again' }).end(),
	);
	const at = (path: string, to: string) => {
		redirects[path] = to;
		return `http://127.0.0.1:${(redirector.address() as AddressInfo).port}${path}`;
	};
	const fetchLink = async (link: string, more = {}) =>
		await withClient(fixture.sandbox, (_client, context) =>
			downloadFile(context, link, 'task_1_0', more),
		);

	beforeAll(
		async () => await new Promise<void>((done) => void redirector.listen(0, '127.0.0.1', done)),
	);
	afterAll(async () => await new Promise((done) => void redirector.close(done)));
	beforeEach(() => void (redirects = {}));

	it('is followed when it redirects, and the file keeps the ending of the link', async () => {
		expect(await fetchLink(at('/picture.png', big(1000)), options)).toMatchObject({
			fileName: 'task_1_0.png',
			bytes: 1000,
		});
	});

	it('is not followed in a circle', async () => {
		expect(await catchError(fetchLink(at('/again', '/again'), options))).toMatchObject({
			code: 'download_failed',
			message: expect.stringContaining('could not be downloaded (302)'),
		});
	});

	it.each([
		'http://127.0.0.1:1/a',
		'http://169.254.169.254/latest/meta-data',
		'http://[::ffff:10.0.0.1]/a',
		'http://intranet/a',
		'file:///etc/passwd',
		'data:image/png;base64,AA',
		'nonsense',
	])('that redirects to %s is not followed for a public gateway', async (link) => {
		expect(await catchError(fetchLink(link))).toMatchObject({
			code: 'link_not_public',
			message: expect.stringContaining('does not lead to a public address'),
			details: { retry: false },
		});
	});

	it.each([
		'http://169.254.169.254/latest',
		'http://[fe80::1]/a',
		'http://metadata.google.internal/a',
	])('to %s is not followed for a private gateway either, and no redirect there', async (link) => {
		for (const start of [link, at('/picture.png', link)])
			expect(await catchError(fetchLink(start, options))).toMatchObject({
				code: 'link_not_public',
				message: expect.stringContaining(link),
			});
	});

	it('that is public is not followed into a private network', async () => {
		const link = toPublicUrl(at('/picture.png', big(1000)));

		expect(await catchError(fetchLink(link))).toMatchObject({
			message: expect.stringContaining(`(${big(1000)}) does not lead to a public address`),
		});
		expect(fixture.sandbox.downloads).toEqual([]);
		expect(await fetchLink(toPublicUrl(big(500)))).toMatchObject({ bytes: 500 });
	});
});
