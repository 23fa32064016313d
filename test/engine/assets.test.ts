import type { IDataObject } from 'n8n-workflow';
import { file, itemsNode, linear, startInstance } from '../../scripts/engine';
import { onFastClock } from '../support/fastClock';
import { gatewayNode, modelId, NODE, PHOTO, useGateway } from '../support/gateway';

const gateway = useGateway({ assetReviewMs: 0 });
const portrait = {
	assetModel: 'sdn-2.0',
	assetType: 'image',
	url: PHOTO,
	name: 'hero',
	wait: 'none',
};
const goOn = { node: { onError: 'continueRegularOutput' as const } };
const calls = (method: string) =>
	gateway.sandbox.requests.filter(
		(request) => request.method === method && request.path.startsWith('/v1/assets'),
	);
const uploads = () => calls('POST').map(({ body }) => body);
const add = async (body: IDataObject = {}) =>
	(await gateway.http.post('/v1/assets', { model: 'sdn-2.0', type: 'image', url: PHOTO, ...body }))
		.data as { id: string };

describe('uploading', () => {
	it('a link gives a flat asset', async () => {
		const run = await gateway.run('asset:create', {
			...portrait,
			options: { extra_body: '{ "tag": "t", "type": "video" }' },
		});

		expect(uploads()).toEqual([
			{ tag: 't', model: 'sdn-2.0', type: 'image', url: PHOTO, name: 'hero' },
		]);
		const [asset] = gateway.sandbox.assets();
		expect(run.items(NODE)).toEqual([
			{
				json: {
					id: asset!.id,
					model: 'sdn-2.0',
					type: 'image',
					name: 'hero',
					status: 'active',
					duration_seconds: null,
					created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
					updated_at: expect.any(String),
					asset_url: `asset://${asset!.id}`,
				},
				pairedItem: { item: 0 },
			},
		]);
	});

	it('a file sends a signed link to this n8n, which serves the file', async () => {
		const instance = await startInstance();
		try {
			const items = [{ json: {}, binary: { face: file('a face', 'face.png', 'image/png') } }];
			const node = gatewayNode('asset:create', {
				...portrait,
				source: 'binary',
				binaryPropertyName: 'face',
				url: 'stale',
			});
			const run = await instance.run(linear(itemsNode(items), node), gateway.options());

			expect(run.status).toBe('success');
			const [{ url }] = uploads() as [{ url: string }];
			expect(url.startsWith(`${instance.baseUrl}/rest/binary-data/signed?token=`)).toBe(true);
			const answer = await fetch(url);
			expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
				'image/png',
				'a face',
			]);
		} finally {
			await instance.close();
		}
	});

	it('uploads nothing where one of the files has no link', async () => {
		const face = file('a face', 'face.png', 'image/png');
		const run = await gateway.run(
			'asset:create',
			{ ...portrait, source: '={{ $json.source }}' },
			{
				items: [
					{ json: { source: 'url' } },
					{ json: { source: 'binary' }, binary: { data: face } },
				],
				engine: { binaryMode: 'default' },
			},
		);

		expect(run.nodeError(NODE)?.message).toContain('is kept in memory');
		expect(gateway.sandbox.assets()).toEqual([]);
	});

	it('a file that n8n keeps in memory has no link, and says what to change', async () => {
		const run = await gateway.run(
			'asset:create',
			{ ...portrait, source: 'binary' },
			{
				items: [{ json: {}, binary: { data: file('a face', 'face.png', 'image/png') } }],
				engine: { binaryMode: 'default' },
			},
		);

		expect(run.nodeError(NODE)).toMatchObject({
			message: 'The file in "data" is kept in memory, so there is no link to it',
			description: expect.stringContaining('N8N_DEFAULT_BINARY_DATA_MODE'),
		});
		expect(uploads()).toEqual([]);
	});

	it('waits until the review is over', async () => {
		gateway.sandbox.settings.assetReviewMs = 2_000;
		const run = await gateway.run('asset:create', { ...portrait, wait: 'poll' });

		expect(run.json(NODE)).toEqual([
			expect.objectContaining({
				status: 'active',
				asset_url: expect.stringMatching(/^asset:\/\/ast_/),
			}),
		]);
		expect(calls('GET')).toHaveLength(1);
	});

	it('returns the last known state when the review exceeds the timeout', async () => {
		gateway.sandbox.settings.assetReviewMs = 60_000;
		const run = await gateway.run('asset:create', {
			...portrait,
			wait: 'poll',
			options: { timeout: 1 },
		});

		expect(run.json(NODE)).toEqual([
			expect.objectContaining({ status: 'processing', asset_url: null }),
		]);
		expect(run.hints(NODE).map(({ message }) => message)).toEqual([
			'An asset is still under review and cannot be used yet. Check it with Asset > Get',
		]);
	});

	it.each([
		[
			'reject-pixels',
			'The total pixel count is outside 407,696 to 8,295,044',
			'素材总像素数超出 407696 至 8295044 的范围',
			false,
		],
		[
			'reject-ratio',
			'The aspect ratio is not supported by the model',
			'模型不支持该素材的宽高比',
			false,
		],
		['reject-timeout', 'Processing timed out upstream', '上游处理超时', true],
		['reject-register', 'The registration did not go through', '素材注册失败', true],
		['reject', "The model provider's review rejected it", '素材未通过模型供应商审核', false],
	])(
		'ends with the reason in English, the original, and whether the same file may pass: %s',
		async (name, reason, reason_original, retry) => {
			const run = await gateway.run('asset:create', { ...portrait, name }, goOn);
			const { id } = gateway.sandbox.assets()[0]!;

			expect(run.json(NODE)).toEqual([
				{
					item_index: 0,
					error: `The asset ${id} was not accepted: ${reason}`,
					message: retry ? 'Upload it again.' : 'Correct the file and upload it again.',
					details: {
						code: 'asset_rejected',
						asset_id: id,
						status: 'failed',
						retry,
						billed: 0,
						reason,
						reason_original,
					},
				},
			]);
		},
	);

	it.each<[string, IDataObject, string]>([
		['an empty link', { url: ' ' }, 'Link is empty'],
		[
			'a link that is none',
			{ url: 'face.png' },
			'Link must start with http:// or https://, but is "face.png"',
		],
		[
			'a link beyond 4096 characters',
			{ url: `https://example.com/${'x'.repeat(4077)}` },
			'Link has 4097 characters; at most 4096 are allowed',
		],
		[
			'another type',
			{ assetType: '={{ "text" }}' },
			'Type must be image, video or audio, but is "text"',
		],
		[
			'a model that takes none',
			{ assetModel: '={{ "clipk-v3" }}' },
			'Model must be sdn-2.0, sdn-2.0-fast, sdn-2.0-mini or sdn-2.5, but is clipk-v3',
		],
		[
			'a text model',
			{ assetModel: '={{ "gp-5" }}' },
			'Model must be sdn-2.0, sdn-2.0-fast, sdn-2.0-mini or sdn-2.5, but is gp-5',
		],
		['no model', { assetModel: '={{ "" }}' }, 'Model is empty'],
		['a file that is missing', { source: 'binary' }, 'the item has no file in "data"'],
	])('refuses %s before it sends', async (_name, more, words) => {
		const run = await gateway.run('asset:create', { ...portrait, ...more });

		expect(run.nodeError(NODE)?.message).toContain(words);
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it.each(['video/webm', 'video/ogg'])(
		'takes %s for audio: n8n takes the type of a recording from its name',
		async (type) => {
			const items = [{ json: {}, binary: { data: file('hello', 'voice', type) } }];
			const binary = { source: 'binary', assetType: 'audio' };
			const run = await gateway.run('asset:create', { ...portrait, ...binary }, { items });

			expect(run.json(NODE)).toMatchObject([{ type: 'audio' }]);
		},
	);

	it('refuses a file that is certainly of another type before it sends', async () => {
		const items = [{ json: {}, binary: { face: file('a face', 'face.png', 'image/png') } }];
		const binary = { source: 'binary', binaryPropertyName: 'face', assetType: 'video' };
		const run = await gateway.run('asset:create', { ...portrait, ...binary }, { items });

		expect(run.nodeError(NODE)?.message).toBe('Type is video, but the file in "face" is image/png');
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it('accepts a link of exactly 4096 characters, and reports what the gateway refuses', async () => {
		const longest = await gateway.run('asset:create', {
			...portrait,
			url: `https://example.com/${'x'.repeat(4076)}`,
		});
		const mute = await gateway.run(
			'asset:create',
			{ ...portrait, assetType: 'audio', url: 'https://example.com/unreadable.mp3' },
			goOn,
		);

		expect(longest.status).toBe('success');
		expect(mute.json(NODE)).toEqual([
			expect.objectContaining({
				details: expect.objectContaining({
					code: 'bad_request',
					gateway_code: 'asset_duration_unknown',
					billed: 0,
				}),
			}),
		]);
	});
});

describe('the library', () => {
	it('gives one asset by its ID or its reference', async () => {
		const { id } = await add({ type: 'video', url: 'https://example.com/clip-12s.mp4' });
		for (const assetId of [id, `asset://${id}`, modelId(id), modelId(`asset://${id}`, 'list')])
			expect((await gateway.run('asset:get', { assetId })).json(NODE)).toEqual([
				expect.objectContaining({ id, type: 'video', duration_seconds: 12 }),
			]);
		expect(
			(await gateway.run('asset:get', { assetId: id, options: { simplify: false } })).json(NODE),
		).toEqual([expect.objectContaining({ object: 'asset', created_at: expect.any(Number) })]);
	});

	it.each(['ast_ab==', 'ast_ab=:1'])('takes any ID, e.g. %s', async (id) => {
		await gateway.run('asset:get', { assetId: modelId(id) });

		expect(calls('GET')).toMatchObject([{ path: `/v1/assets/${encodeURIComponent(id)}` }]);
	});

	it.each([
		['={{ "" }}', 'Asset is empty'],
		['../tasks', 'Asset must be an ID, e.g. ast_01h8, but is "../tasks"'],
		['.', 'Asset must be an ID, e.g. ast_01h8, but is "."'],
		['..', 'Asset must be an ID, e.g. ast_01h8, but is ".."'],
	])('refuses the invalid ID "%s"', async (id, words) => {
		const run = await gateway.run('asset:get', { assetId: modelId(id) });

		expect(run.nodeError(NODE)?.message).toContain(words);
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it('gives the newest up to a limit, and all by pages of a hundred, also at zero quota', async () => {
		for (let n = 0; n < 230; n += 1) await add({ name: `n${n}` });
		gateway.sandbox.settings.quotaExhausted = true;
		gateway.sandbox.requests.length = 0;
		const names = async (parameters: IDataObject) =>
			(await gateway.run('asset:getAll', parameters)).json(NODE).map(({ name }) => name);
		const newest = Array.from({ length: 230 }, (_, n) => `n${229 - n}`);

		expect(await names({ limit: 1 })).toEqual(['n229']);
		expect(await names({ limit: 100 })).toEqual(newest.slice(0, 100));
		expect(await names({ limit: 150 })).toEqual(newest.slice(0, 150));
		expect(await names({ returnAll: true })).toEqual(newest);
		expect(calls('GET').map(({ query }) => [query.limit, query.offset])).toEqual([
			['1', '0'],
			['100', '0'],
			['100', '0'],
			['100', '100'],
			['100', '0'],
			['100', '100'],
			['100', '200'],
		]);
	});

	it('deletes an asset, once', async () => {
		const { id } = await add();
		const run = await gateway.run('asset:delete', { assetId: id });
		const again = await gateway.run('asset:delete', { assetId: id });

		expect(run.json(NODE)).toEqual([{ deleted: true, id }]);
		expect(gateway.sandbox.assets()[0]?.status).toBe('deleted');
		expect(again.nodeError(NODE)?.message).toContain(
			'The gateway does not know this ID or address',
		);
	});
});

describe('Retry On Fail', () => {
	const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
	/** The first request of this kind is refused. */
	const refuseOnce = (isWanted: (request: { path: string; body?: unknown }) => boolean) => {
		let refused = 0;
		gateway.sandbox.faults.injection = (request) =>
			isWanted(request) && !refused++ ? { kind: { status: 500 } } : undefined;
	};

	it('uploads each row once', async () => {
		refuseOnce(({ body }) => (body as IDataObject | undefined)?.name === 'two');
		const items = ['one', 'two'].map((name) => ({ name }));
		const parameters = { ...portrait, name: '={{ $json.name }}' };
		const run = await gateway.run('asset:create', parameters, { items, node });

		expect(run.json(NODE)).toMatchObject(items);
		expect(gateway.sandbox.assets()).toHaveLength(2);
	});

	it(
		'goes on with the upload of an earlier try that could not wait for its review',
		onFastClock(async () => {
			gateway.sandbox.settings.assetReviewMs = 1_500;
			let polls = 0;
			gateway.sandbox.faults.injection = ({ method, path }) =>
				method === 'GET' && path.startsWith('/v1/assets/') && !polls++
					? { kind: { status: 401 } }
					: undefined;
			const run = await gateway.run('asset:create', { ...portrait, wait: 'poll' }, { node });

			expect(run.json(NODE)).toMatchObject([{ status: 'active' }]);
			expect(gateway.sandbox.assets()).toHaveLength(1);
		}),
	);

	it(
		'uploads again after a review that has failed',
		onFastClock(async () => {
			gateway.sandbox.settings.assetReviewMs = 300;
			const rejected = { ...portrait, wait: 'poll', name: 'reject' };
			const run = await gateway.run('asset:create', rejected, { node });

			expect(run.nodeError(NODE)?.message).toContain('was not accepted');
			expect(gateway.sandbox.assets()).toHaveLength(2);
		}),
	);

	it('deletes what is left', async () => {
		const items = [await add(), await add()].map(({ id }) => ({ id }));
		refuseOnce(({ path }) => path.endsWith(items[1]!.id));
		const parameters = { assetId: modelId('={{ $json.id }}') };
		const run = await gateway.run('asset:delete', parameters, { items, node });

		expect(run.json(NODE)).toEqual(items.map(({ id }) => ({ deleted: true, id })));
	});
});
