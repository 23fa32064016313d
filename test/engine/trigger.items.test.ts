import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { callbackFor, triggerNode, useTrigger } from '../support/useTrigger';

const { gateway, sendCallback, task } = useTrigger();

describe('the items of a task', () => {
	it('are one for each output, each with its file', async () => {
		const id = await task('completed', { model: 'gmn-2.5-flash-image-preview', n: 3 });
		const { items, run } = await sendCallback(callbackFor(id), {
			options: { split: true, download: 'picture' },
		});

		expect(items.map(({ json }) => (json.urls as string[]).length)).toEqual([1, 1, 1]);
		expect(new Set(items.map(({ json }) => String(json.urls))).size).toBe(3);
		// IDs may begin alike, e.g. with their time.
		const name = `gmn-2.5-flash-image-preview-${id.slice(-8)}`;
		expect(items.map(({ binary }) => binary?.picture?.fileName)).toEqual(
			[1, 2, 3].map((output) => expect.stringContaining(`${name}-${output}.`)),
		);
		for (const item of items)
			expect((await run!.binary(item, 'picture')).length).toBeGreaterThan(100);
		expect(gateway.sandbox.leaks).toEqual([]);
	});

	it('are one for all, with the files side by side', async () => {
		const id = await task('completed', { model: 'gmn-2.5-flash-image-preview', n: 2 });
		const { items } = await sendCallback(callbackFor(id), { options: { download: 'data' } });

		expect(items).toHaveLength(1);
		expect(Object.keys(items[0]!.binary ?? {})).toEqual(['data', 'data_1']);
	});

	it.each<[boolean | string]>([[false], ['={{ "false" }}']])(
		"are the gateway's own object where Simplify is off: %s",
		async (simplify) => {
			const { items } = await sendCallback(callbackFor(await task('completed')), {
				options: { simplify },
			});

			expect(items[0]?.json).toMatchObject({
				billing_status: 'settled',
				progress: '100%',
				result: { images: [expect.anything()] },
			});
		},
	);

	it('are not fetched any more when the user stops the run', async () => {
		const { data } = await gateway.read(await task('completed'));
		gateway.sandbox.faults.add({ match: { path: /^\/files\// }, times: 9, kind: { status: 503 } });
		const { downloads } = gateway.sandbox;
		const node = triggerNode({ options: { download: 'data' } });
		const user = new AbortController();
		const ending = runWorkflow(linear(itemsNode([data as IDataObject]), node), {
			...gateway.options(),
			mode: 'webhook',
			signal: user.signal,
		});
		for (let tries = 0; tries < 300 && !downloads.length; tries += 1) await sleep(10);
		user.abort();
		await ending;
		await sleep(600);

		// One may have been under way at the stop.
		expect(downloads.length).toBeLessThanOrEqual(2);
	});

	it('report a failed download: the task is paid, so the workflow starts with its ID and links', async () => {
		const id = await task('completed');
		gateway.sandbox.faults.add({ match: { path: /^\/files\// }, times: 20, kind: { status: 404 } });
		const { reply, items } = await sendCallback(callbackFor(id), { options: { download: 'data' } });

		expect(reply.status).toBe(200);
		expect(items.map(({ json }) => json)).toEqual([
			{
				item_index: 0,
				error: expect.stringContaining('is no longer available (404)'),
				message: expect.any(String),
				task_id: id,
				status: 'completed',
				details: {
					code: 'link_expired',
					task_id: id,
					status: 'completed',
					expires_at: expect.any(String),
					urls: [expect.stringContaining('/files/')],
					billed: expect.any(Number),
					retry: false,
					http_status: 404,
				},
			},
		]);
	});
});
