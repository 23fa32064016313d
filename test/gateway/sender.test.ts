import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import type { GatewayRequest } from '../../nodes/gateway/request';
import { catchError, withClient } from '../support/gatewayClient';
import { createBody, createVirtualGateway } from '../support/virtualGateway';

const poll: GatewayRequest = {
	...{ kind: 'read', method: 'GET', path: '/v1/tasks/task_1', isOnce: true },
};
const MEGABYTE = ' '.repeat(1_000_000);

describe('an answer without end', () => {
	it('is read up to 64 MB', async () => {
		let pieces = 0;
		const gateway = createVirtualGateway(() => ({
			...{ status: 200, headers: {} },
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
		const error = await gateway.clock.run(catchError(gateway.client.request(poll)));

		expect(error.message).toBe('The gateway sent an answer with more than 64 MB');
		expect(pieces).toBe(65);
	});

	it('is not taken into memory in a real n8n either, though it is small while it is compressed', async () => {
		let isClosed: (written: number) => void = () => undefined;
		const closed = new Promise<number>((resolve) => (isClosed = resolve));
		const answer: RequestListener = (_request, response) => {
			response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
			const gzip = createGzip();
			let megabytes = 0;
			const more = () => {
				if (megabytes >= 500) return gzip.end();
				megabytes += 1;
				gzip.write(MEGABYTE, more);
			};
			response.on('close', () => isClosed(megabytes));
			gzip.pipe(response);
			more();
		};
		const server = createServer(answer).listen(0, '127.0.0.1');
		await new Promise((resolve) => server.once('listening', resolve));
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const error = await catchError(
			withClient({ url, key: 'sk-1' }, async (client) => await client.request(poll)),
		);
		const sent = await closed;
		server.close();

		expect(error.message).toBe('The gateway sent an answer with more than 64 MB');
		expect(sent).toBeLessThan(500);
	});

	it.each([
		['byte by byte', Array.from({ length: 2_000 }, () => [900, ' ']).flat()],
		['and is silent in between', ['{', 'stall'] as const],
	])('ends with the time of the request when it comes %s', async (_name, steps) => {
		const gateway = createVirtualGateway(() => ({
			...{ status: 200, headers: {} },
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
