import { toPublicUrl } from '../support/publicHost';
import { modelId, NODE, useGateway } from '../support/gateway';

const gateway = useGateway();
const files = { options: { download: 'data' } };
const bytesOf = async (url: unknown) => Buffer.from(await (await fetch(String(url))).arrayBuffer());
const named = (urls: unknown, at: number) =>
	String((urls as string[])[at])
		.split('/')
		.pop();

afterEach(() => {
	// Whatever a test does, no key goes to the host of the files.
	expect(gateway.sandbox.leaks).toEqual([]);
	for (const { headers } of gateway.sandbox.downloads)
		expect(JSON.stringify(headers)).not.toContain(gateway.sandbox.key);
});

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
				fileName: named(item?.json.urls, 0),
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
			expect(item?.binary?.[field]?.fileName).toBe(named(item?.json.urls, at));
		}
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

	it('fetches nothing unless Download to Field is set', async () => {
		await gateway.run('image:generate', { model: modelId('imgn-4.0'), prompt: 'a kite' });

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
				'Output links expire, usually after 24 hours. Download in the run that makes the file.',
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

	it('keeps the ID and the links of a paid task whose file does not come, for every item', async () => {
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
				error: `The task is done, but its file on ${new URL(gateway.sandbox.url).host} could not be downloaded`,
				message: 'Nothing is lost: get the file again with Task > Get and Download to Field.',
				details: expect.objectContaining({
					task_id: task?.task_id,
					billed: 21250,
					retry: true,
					urls: [expect.stringContaining(String(task?.task_id))],
				}),
			},
		]);
	});
});
