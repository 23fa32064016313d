import { onFastClock } from '../support/fastClock';
import { toPublicUrl } from '../support/publicHost';
import { EngineCredentials } from '../../scripts/engine/credentials';
import { modelId, NODE, useGateway, type Menu } from '../support/gateway';

const gateway = useGateway();
const files = { options: { download: 'data' } };
const bytesOf = async (url: unknown) => Buffer.from(await (await fetch(String(url))).arrayBuffer());

afterEach(() => {
	// Whatever a test does, no key goes to the host of the files.
	expect(gateway.sandbox.leaks).toEqual([]);
	for (const { headers } of gateway.sandbox.downloads)
		expect(JSON.stringify(headers)).not.toContain(gateway.sandbox.key);
});

const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const submission = { model: 'imgn-4.0', prompt: 'a kite' };

describe('downloading results', () => {
	it.each([
		['image', 'gmn-2.5-flash-image-preview', {}, 'image/jpeg', 'jpg'],
		['image', 'flx-2-pro', { additionalFields: { output_format: 'webp' } }, 'image/webp', 'webp'],
		['image', 'qwn-image-2.0', {}, 'image/png', 'png'],
		['video', 'clipk-v3', {}, 'video/mp4', 'mp4'],
	] as const)(
		'stores the %s of %s with its bytes, name, type and size',
		async (medium, model, more, mimeType, fileExtension) => {
			const run = await gateway.run(`${medium}:generate`, {
				model: modelId(model),
				prompt: 'a kite',
				...more,
				...files,
			});

			const [item] = run.items(NODE);
			const [url] = item?.json.urls as string[];
			const expected = await bytesOf(url);
			expect(expected.length).toBeGreaterThan(500);
			expect((await run.binary(item)).equals(expected)).toBe(true);
			expect(item?.binary?.data).toMatchObject({
				mimeType,
				fileExtension,
				fileName: `${model}-1.${fileExtension}`,
				bytes: expected.length,
			});
			expect(item?.pairedItem).toEqual({ item: 0 });
		},
	);

	it('puts further files of a task into fields of their own, in order', async () => {
		const run = await gateway.run('image:generate', {
			model: modelId('imgn-4.0'),
			prompt: 'a kite',
			additionalFields: { n: 3 },
			options: { download: 'picture' },
		});

		const [item] = run.items(NODE);
		expect(Object.keys(item?.binary ?? {})).toEqual(['picture', 'picture_1', 'picture_2']);
		for (const [at, field] of ['picture', 'picture_1', 'picture_2'].entries()) {
			expect(
				(await run.binary(item, field)).equals(await bytesOf((item?.json.urls as string[])[at])),
			).toBe(true);
			expect(item?.binary?.[field]?.fileName).toBe(`imgn-4.0-1-${at + 1}.jpg`);
		}
	});

	it.each(['image:generate', 'task:get'] as const)(
		'takes the field data in %s where Output Field Name is empty for an item',
		async (menu) => {
			const { data } = await gateway.submit(submission);
			await gateway.sandbox.finish(data.task_id);
			const run = await gateway.run(
				menu,
				{ ...kite, taskId: data.task_id, options: { download: '={{ $json.field ?? "" }}' } },
				{ items: [{ field: 'picture' }, {}] },
			);

			expect(run.items(NODE).map(({ binary }) => Object.keys(binary ?? {}))).toEqual([
				['picture'],
				['data'],
			]);
		},
	);

	it('does not have n8n decrypt the credential for each of them', async () => {
		const reads = jest.spyOn(EngineCredentials.prototype, 'getDecrypted');
		const items = Array.from({ length: 20 }, () => ({}));
		const run = await gateway.run('image:generate', { ...kite, ...files }, { items });
		const count = reads.mock.calls.length;
		reads.mockRestore();

		expect(run.items(NODE).filter(({ binary }) => binary?.data)).toHaveLength(20);
		// Every five seconds of the run at most.
		expect(count).toBeLessThan(5);
	});

	it('fetches for get and await as well, and only from tasks that are done', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const { data } = await gateway.submit({ model: 'imgn-4.0', prompt: 'a kite' });
		const early = await gateway.run('task:get', { taskId: data.task_id, ...files });
		await gateway.sandbox.finish(data.task_id);
		const late = await gateway.run('task:await', { taskId: data.task_id, ...files });

		expect(early.items(NODE)[0]?.binary).toBeUndefined();
		expect(late.items(NODE)[0]?.binary?.data).toMatchObject({ mimeType: 'image/jpeg' });
	});

	it('keeps files within the item where n8n keeps no files', async () => {
		const run = await gateway.run(
			'image:generate',
			{ model: modelId('imgn-4.0'), prompt: 'a kite', ...files },
			{ engine: { binaryMode: 'default' } },
		);

		const [item] = run.items(NODE);
		expect(item?.binary?.data?.id).toBeUndefined();
		expect((await run.binary(item)).equals(await bytesOf((item?.json.urls as string[])[0]))).toBe(
			true,
		);
	});

	it.each<[string, Menu, object]>([
		[
			'with Output set to Links',
			'image:generate',
			{ ...kite, options: { output: '={{ "links" }}' } },
		],
		[
			'with Output set to Links beside a field',
			'image:generate',
			{ ...kite, options: { output: 'links', download: 'data' } },
		],
		['without waiting', 'image:generate', { ...kite, wait: 'none' }],
		[
			'in Task > Submit',
			'task:submit',
			{ model: kite.model, parameters: '{ "prompt": "a kite" }', wait: 'poll' },
		],
	])('fetches nothing %s', async (_name, menu, parameters) => {
		const run = await gateway.run(menu, parameters as never);

		expect(run.json(NODE)[0]).toMatchObject({ task_id: expect.any(String) });
		expect(gateway.sandbox.downloads).toEqual([]);
	});

	it.each([[{ status: 503 }], ['reset-before'], ['reset-midway'], ['slow-body']] as const)(
		'fetches again when the host of the files answers %p',
		async (kind) => {
			gateway.sandbox.faults.add({ match: { path: /^\/files\// }, kind });
			const run = await gateway.run('image:generate', {
				model: modelId('imgn-4.0'),
				prompt: 'a kite',
				...files,
			});

			expect(run.error).toBeUndefined();
			const [item] = run.items(NODE);
			expect((await run.binary(item)).equals(await bytesOf((item?.json.urls as string[])[0]))).toBe(
				true,
			);
			expect(gateway.sandbox.tasks()).toHaveLength(1);
		},
	);

	it('reports an expired link with its task and its cost, and that a retry makes no sense', async () => {
		gateway.sandbox.settings.linkValiditySeconds = 0;
		const run = await gateway.run('image:generate', {
			model: modelId('imgn-4.0'),
			prompt: 'a kite',
			...files,
		});

		const [task] = gateway.sandbox.tasks();
		expect(run.nodeError(NODE)).toMatchObject({
			message: `The task is done, but its file on ${new URL(gateway.sandbox.url).host} is no longer available (410)`,
			description:
				'Output links expire, usually after 24 hours. Download in the run that makes the file: set Output to Files there.',
			context: {
				details: {
					task_id: task?.task_id,
					status: 'completed',
					billed: 21250,
					retry: false,
					http_status: 410,
					urls: [`${gateway.sandbox.url}/files/${task?.task_id}-0.jpg`],
					expires_at: expect.stringMatching(/Z$/),
				},
			},
		});
		expect(gateway.sandbox.downloads).toHaveLength(1);
	});

	it('fetches nothing from a private network for a public gateway, and keeps the links', async () => {
		const credentials = {
			generationGatewayApi: {
				baseUrl: toPublicUrl(gateway.sandbox.url),
				apiKey: gateway.sandbox.key,
			},
		};
		const run = await gateway.run(
			'image:generate',
			{ model: modelId('imgn-4.0'), prompt: 'a kite', ...files },
			{ engine: { credentials } },
		);

		expect(run.nodeError(NODE)).toMatchObject({
			message: expect.stringContaining('does not lead to a public address'),
			context: {
				details: {
					task_id: gateway.sandbox.tasks()[0]!.task_id,
					billed: 21250,
					urls: [expect.stringContaining('127.0.0.1')],
				},
			},
		});
		expect(gateway.sandbox.downloads).toEqual([]);
	});

	it(
		'keeps the ID and the links of a paid task whose file does not come, for every item',
		onFastClock(async () => {
			gateway.sandbox.faults.add({
				match: { path: /^\/files\/.*-0\.jpg/ },
				times: 99,
				kind: { status: 502 },
			});
			const run = await gateway.run(
				'image:generate',
				{ model: modelId('imgn-4.0'), prompt: 'a kite', ...files },
				{ node: { onError: 'continueRegularOutput' } },
			);

			const [task] = gateway.sandbox.tasks();
			expect(run.json(NODE)).toEqual([
				{
					item_index: expect.any(Number),
					error: `The task is done, but its file on ${new URL(gateway.sandbox.url).host} could not be downloaded (502)`,
					message: 'Nothing is lost: get the file again with Task > Get and Output set to Files.',
					task_id: task?.task_id,
					status: 'completed',
					details: expect.objectContaining({
						task_id: task?.task_id,
						billed: 21250,
						retry: true,
						urls: [expect.stringContaining(String(task?.task_id))],
					}),
				},
			]);
		}),
	);
});
