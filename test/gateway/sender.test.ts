import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import type { GatewayRequest } from '../../nodes/gateway/request';
import { postTask } from '../../nodes/gateway/tasks/api';
import { catchError, withClient } from '../support/gatewayClient';
import { createBody, createVirtualGateway, refusal } from '../support/virtualGateway';

const poll: GatewayRequest = {
	kind: 'read',
	method: 'GET',
	path: '/v1/tasks/task_1',
	isOnce: true,
};
const MEGABYTE = ' '.repeat(1_000_000);

describe('a submission with a deadline in 5 s', () => {
	const submission = { body: { model: 'imgn-4.0' }, idempotencyKey: 'row-1' };
	const submit = async (answer: Parameters<typeof createVirtualGateway>[0]) => {
		const { client, clock } = createVirtualGateway(answer);
		const startedAt = clock.now();
		const sent = postTask(client, { ...submission, until: startedAt + 5_000 });
		const error = await clock.run(catchError(sent));
		return { error, seconds: (clock.now() - startedAt) / 1000 };
	};

	it('ends within some seconds at a gateway that is silent, and may have been carried out', async () => {
		const { error, seconds } = await submit(async () => await new Promise(() => undefined));

		expect(seconds).toBeLessThanOrEqual(11);
		expect(error).toMatchObject({ code: 'timeout', details: { may_have_executed: true } });
		expect(error.hint).not.toMatch(/text|stream/i);
	});

	it('ends in time at a gateway that refuses all', async () => {
		const { error, seconds } = await submit(() => refusal(429));

		expect(seconds).toBeLessThanOrEqual(5);
		expect(error).toMatchObject({ code: 'rate_limited', details: { billed: 0 } });
	});
});

describe.each(['read', 'submit', 'idempotent', 'write'] as const)('a %s whose file', (kind) => {
	it.each(['body', 'form'] as const)(
		'cannot be read costs nothing and is not repeated: %s',
		async (part) => {
			const { client, clock, requests } = createVirtualGateway(() => refusal(500));
			const read = jest.fn(async () => await Promise.reject(new Error('File not found')));
			const posted = { ...poll, kind, isOnce: undefined, [part]: read } as GatewayRequest;
			const request = client.request(posted);

			expect(await clock.run(catchError(request))).toMatchObject({
				message: 'n8n could not read a file of the item (File not found)',
				details: { billed: 0, retry: false },
			});
			expect([requests.length, read.mock.calls.length]).toEqual([0, 1]);
		},
	);
});

it('lets go of an answer that comes after the request was given up', async () => {
	let isReleased: () => boolean = () => false;
	const gateway = createVirtualGateway(async () => {
		await gateway.clock.sleep(60_000);
		const body = createBody(gateway.clock, ['{', 'stall']);
		isReleased = body.isDestroyed;
		return { status: 200, headers: {}, body: body.stream };
	});
	await gateway.clock.run(catchError(gateway.client.request({ ...poll, timeoutMs: 5_000 })));
	await gateway.clock.run(gateway.clock.sleep(120_000));

	expect(isReleased()).toBe(true);
});

describe('an answer without end', () => {
	it('is read up to 64 MB', async () => {
		let pieces = 0;
		const gateway = createVirtualGateway(() => ({
			status: 200,
			headers: {},
			body: Object.assign(
				(async function* () {
					for (;;) {
						pieces += 1;
						yield new TextEncoder().encode(MEGABYTE);
					}
				})(),
				{ destroy: () => undefined },
			),
		}));
		const reader = { expects: 'vectors', hint: 'Send fewer texts.', read: () => undefined };
		const request = gateway.client.request({ ...poll, reader });
		const error = await gateway.clock.run(catchError(request));

		expect(error).toMatchObject({
			code: 'unreadable_response',
			message: 'The gateway sent an answer with more than 64 MB',
			hint: 'Send fewer texts.',
		});
		expect(pieces).toBe(65);
	});

	it('is not taken into memory in a real n8n either, though it is small while it is compressed', async () => {
		let isClosed: () => void = () => undefined;
		const closed = new Promise<void>((resolve) => (isClosed = resolve));
		const answer: RequestListener = (_request, response) => {
			response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
			const gzip = createGzip();
			const more = () => void (response.closed || gzip.write(MEGABYTE, () => setImmediate(more)));
			response.on('close', isClosed);
			gzip.pipe(response);
			more();
		};
		const server = createServer(answer).listen(0, '127.0.0.1');
		await new Promise((resolve) => server.once('listening', resolve));
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const error = await catchError(
			withClient({ url, key: 'sk-1' }, async (client) => await client.request(poll)),
		);
		await closed;
		server.close();

		expect(error.message).toBe('The gateway sent an answer with more than 64 MB');
	});

	it.each([
		['byte by byte', Array.from({ length: 2_000 }, () => [900, ' ']).flat()],
		['and is silent in between', ['{', 'stall'] as const],
	])('ends with the time of the request when it comes %s', async (_name, steps) => {
		const gateway = createVirtualGateway(() => ({
			status: 200,
			headers: {},
			body: createBody(gateway.clock, steps).stream,
		}));
		const startedAt = gateway.clock.now();
		const error = await gateway.clock.run(
			catchError(gateway.client.request({ ...poll, timeoutMs: 20_000 })),
		);

		expect(error.code).toBe('timeout');
		expect(gateway.clock.now() - startedAt).toBeLessThanOrEqual(21_000);
	});
});
