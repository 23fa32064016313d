import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { download } from '../../nodes/n8n/binary/download';
import { useSandbox } from '../support/useSandbox';
import { toPublicUrl } from '../support/publicHost';
import { catchError, withClient } from '../support/gatewayClient';

const visitor = useSandbox();
const inside = { mayLeadInside: true };
const big = (bytes: number) => `${visitor.sandbox.url}/files/big?bytes=${bytes}`;

describe('the download of a file', () => {
	it('streams it, and names it after the task where the link has no name', async () => {
		const stored = await withClient(visitor.sandbox, (_door, host) =>
			download(host, big(300_000), 'task_1_0', inside),
		);

		expect(stored).toMatchObject({
			fileName: 'task_1_0.bin',
			mimeType: 'application/octet-stream',
			bytes: 300_000,
		});
	});

	it('tries again when the host falls silent, as often as with any other trouble', async () => {
		visitor.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'hang' });
		const stored = await withClient(visitor.sandbox, (_door, host) =>
			download(host, big(1000), 'task_1_0', { ...inside, silenceMs: 150 }),
		);

		expect(stored.bytes).toBe(1000);
		expect(visitor.sandbox.downloads).toHaveLength(2);
	});

	it('gives a slow file its time, as long as it keeps coming', async () => {
		visitor.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'slow-body', bodyMs: 900 });
		const stored = await withClient(visitor.sandbox, (_door, host) =>
			download(host, big(1_000_000), 'task_1_0', { ...inside, silenceMs: 400 }),
		);

		expect(stored.bytes).toBe(1_000_000);
		expect(visitor.sandbox.downloads).toHaveLength(1);
	});

	it('ends at once when the user stops the run', async () => {
		const user = new AbortController();
		visitor.sandbox.faults.add({ match: { path: /^\/files\// }, kind: 'hang' });
		setTimeout(() => user.abort(), 100);
		await catchError(
			withClient(
				visitor.sandbox,
				(client, host) =>
					download(host, big(1000), 'task_1_0', { ...inside, signal: client.signal }),
				{ signal: user.signal },
			),
		);

		expect(visitor.sandbox.downloads).toHaveLength(1);
	});

	it.each([
		[404, false],
		[410, false],
		[403, false],
		[500, true],
		[429, true],
	])('says of a file that answers %i whether it may come back: %s', async (status, retry) => {
		visitor.sandbox.faults.add({ match: { path: /^\/files\// }, times: 9, kind: { status } });
		const issue = await catchError(
			withClient(visitor.sandbox, (_door, host) => download(host, big(1000), 'task_1_0', inside)),
		);

		expect(issue.details).toMatchObject({ retry, http_status: status });
		expect(visitor.sandbox.downloads).toHaveLength(retry ? 3 : 1);
	});
});

describe('a link to a file', () => {
	let redirects: Record<string, string> = {};
	const host = createServer(
		(request, response) =>
			void response.writeHead(302, { location: redirects[request.url!] ?? '/again' }).end(),
	);
	const at = (path: string, to: string) => {
		redirects[path] = to;
		return `http://127.0.0.1:${(host.address() as AddressInfo).port}${path}`;
	};
	const fetched = async (link: string, settings = {}) =>
		await withClient(visitor.sandbox, (_door, node) => download(node, link, 'task_1_0', settings));

	beforeAll(async () => await new Promise<void>((done) => void host.listen(0, '127.0.0.1', done)));
	afterAll(async () => await new Promise((done) => void host.close(done)));
	beforeEach(() => void (redirects = {}));

	it('is followed where it leads on, and the file keeps the name of the link', async () => {
		expect(await fetched(at('/picture.png', big(1000)), inside)).toMatchObject({
			fileName: 'picture.png',
			bytes: 1000,
		});
	});

	it('is not followed in a circle', async () => {
		expect(await catchError(fetched(at('/again', '/again'), inside))).toMatchObject({
			message: expect.stringContaining('could not be downloaded'),
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
	])('that leads to %s is not followed for a gateway elsewhere', async (link) => {
		expect(await catchError(fetched(link))).toMatchObject({
			message: expect.stringContaining('does not lead to a public address'),
			details: { retry: false },
		});
	});

	it('that is public is not followed into the own network', async () => {
		const link = toPublicUrl(at('/picture.png', big(1000)));

		expect(await catchError(fetched(link))).toMatchObject({
			message: expect.stringContaining(`(${big(1000)}) does not lead to a public address`),
		});
		expect(visitor.sandbox.downloads).toEqual([]);
		expect(await fetched(toPublicUrl(big(500)))).toMatchObject({ bytes: 500 });
	});
});
