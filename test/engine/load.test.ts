import { readdirSync, readlinkSync } from 'node:fs';
import { onFastClock } from '../support/fastClock';
import { modelId, NODE, useGateway } from '../support/gateway';
import { json, useStubGateway } from '../support/stubGateway';

const gateway = useGateway();
const stub = useStubGateway();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const goOn = { onError: 'continueRegularOutput' } as const;

describe('the gateway and its hosts are not overloaded', () => {
	it('by downloads: no more at once than Concurrency', async () => {
		const rows = Array.from({ length: 24 }, (_, row) => ({ row }));
		let [now, most] = [0, 0];
		stub.answer = async (response, _body, { url = '' }) => {
			if (!url.startsWith('/file'))
				return json(response, {
					task_id: `task_${Math.random()}`,
					status: 'completed',
					cost: 1,
					result: { images: [`${stub.url}/file.png`] },
				});
			most = Math.max(most, (now += 1));
			await new Promise((done) => setTimeout(done, 150));
			now -= 1;
			response.writeHead(200, { 'content-type': 'image/png' }).end('PNG');
		};
		const run = await stub.run(
			'image:generate',
			{ ...kite, options: { download: 'data', concurrency: 5 } },
			{ items: rows },
		);

		expect(run.items(NODE)).toHaveLength(24);
		expect(most).toBe(5);
	});

	it('by downloads that are tried again: the Retry-After of the host of a file is obeyed', async () => {
		const requestedAt: number[] = [];
		stub.answer = (response, _body, { url = '' }) => {
			if (!url.startsWith('/file'))
				return json(response, {
					task_id: 'task_1',
					status: 'completed',
					cost: 1,
					result: { images: [`${stub.url}/file.png`] },
				});
			requestedAt.push(Date.now());
			if (requestedAt.length === 1) response.writeHead(503, { 'retry-after': '2' }).end();
			else response.writeHead(200, { 'content-type': 'image/png' }).end('PNG');
		};
		const run = await stub.run('image:generate', { ...kite, options: { download: 'data' } });

		expect(run.items(NODE)[0]?.binary).toHaveProperty('data');
		expect(requestedAt[1]! - requestedAt[0]!).toBeGreaterThanOrEqual(1_990);
	});

	it(
		'by polls: a long Retry-After is obeyed',
		onFastClock(async () => {
			let polls = 0;
			stub.answer = (response, _body, { method }) => {
				if (method === 'POST') return json(response, { task_id: 'task_1', status: 'queued' });
				polls += 1;
				response
					.writeHead(429, { 'retry-after': '300', 'content-type': 'application/json' })
					.end('{}');
			};
			const run = await stub.run('image:generate', { ...kite, options: { timeout: 4 } });

			expect(run.json(NODE)).toEqual([
				expect.objectContaining({ task_id: 'task_1', status: 'queued' }),
			]);
			expect(polls).toBeLessThanOrEqual(2);
		}),
	);

	it('by rate-limited requests: a Retry-After of 0 or in the past is not believed', async () => {
		let calls = 0;
		stub.answer = (response) => {
			calls += 1;
			const header = calls % 2 ? '0' : new Date(Date.now() - 60_000).toUTCString();
			if (calls < 5) response.writeHead(429, { 'retry-after': header }).end();
			else json(response, { task_id: 'task_1', status: 'cancelled' });
		};
		const began = Date.now();
		await stub.run('task:get', { taskId: 'task_1' });

		expect(calls).toBe(5);
		expect(Date.now() - began).toBeGreaterThanOrEqual(40 + 80 + 160 + 320);
	});

	it('by uploads that fail: no file stays open', async () => {
		const binary = {
			data: {
				data: Buffer.alloc(1_000_000).toString('base64'),
				mimeType: 'audio/mpeg',
				fileName: 'a.mp3',
			},
		};
		const open = () =>
			readdirSync('/proc/self/fd').filter((fd) => {
				try {
					return readlinkSync(`/proc/self/fd/${fd}`).includes('/binary_data/');
				} catch {
					return false;
				}
			}).length;
		const items = Array.from({ length: 30 }, () => ({ json: {}, binary }));
		const credentials = { generationGatewayApi: { baseUrl: 'http://127.0.0.1:9', apiKey: 'k' } };
		await gateway.run(
			'audio:transcribe',
			{ model: modelId('asr-1') },
			{ items: items as never[], node: goOn, engine: { ...gateway.options(), credentials } },
		);

		for (let tries = 0; tries < 50 && open(); tries += 1)
			await new Promise((done) => setTimeout(done, 20));
		expect(open()).toBe(0);
	});
});
