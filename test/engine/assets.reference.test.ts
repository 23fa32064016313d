import type { IDataObject } from 'n8n-workflow';
import { loadOptions, searchList } from '../../scripts/engine';
import { CLIP, gatewayNode, modelId, NODE, PHOTO, useGateway } from '../support/gateway';
import { json, useStubGateway } from '../support/stubGateway';

const stub = useStubGateway();
const gateway = useGateway({ assetReviewMs: 0 });
const sdn = { model: modelId('sdn-2.5'), prompt: 'waves' };
const goOn = { node: { onError: 'continueRegularOutput' as const } };
const add = async (body: IDataObject = {}): Promise<string> => {
	const { data } = await gateway.http.post('/v1/assets', {
		model: 'sdn-2.5',
		type: 'image',
		url: PHOTO,
		...body,
	});
	return `asset://${data.id}`;
};

describe('an asset in a request', () => {
	it('is accepted by every field that takes one, beside ordinary links', async () => {
		const image = await add();
		const video = await add({ type: 'video', url: CLIP });
		const audio = await add({ type: 'audio', url: 'https://example.com/a.mp3' });
		const run = await gateway.run('video:generate', {
			...sdn,
			image_urls: [image, PHOTO],
			first_frame_image: image,
			last_frame_image: image,
			video_urls: [video, CLIP],
			additionalFields: {
				audio_urls: audio,
				image_with_roles: JSON.stringify([{ url: image, role: 'hero' }]),
			},
		});

		expect(run.error).toBeUndefined();
		expect(gateway.bodies()).toEqual([
			{
				model: 'sdn-2.5',
				prompt: 'waves',
				image_urls: [image, PHOTO],
				first_frame_image: image,
				last_frame_image: image,
				video_urls: [video, CLIP],
				audio_urls: [audio],
				image_with_roles: [{ url: image, role: 'hero' }],
			},
		]);
	});

	it.each(['clipk-v3', 'gx-imagine-1.0-video'])(
		'is refused for %s before it is sent',
		async (model) => {
			const run = await gateway.run('task:submit', {
				model: modelId(model),
				parameters: { prompt: 'waves', image_urls: ['asset://ast_1'] },
			});

			expect(run.nodeError(NODE)?.message).toContain(
				'Image URLs does not take assets, but has "asset://ast_1"',
			);
			expect(gateway.posts()).toEqual([]);
		},
	);

	it.each(['ast_1', 'asset:ast_1', 'asset://', 'asset://a b'])(
		'is refused where its form is wrong: %s',
		async (link) => {
			const run = await gateway.run('task:submit', {
				model: modelId('sdn-2.0'),
				parameters: { prompt: 'waves', first_frame_image: link },
			});

			expect(run.nodeError(NODE)?.message).toContain('is not of the form asset://<asset_id>');
			expect(gateway.posts()).toEqual([]);
		},
	);
});

describe('an asset that the gateway refuses', () => {
	it('is explained with the field: missing, of another type, of another route', async () => {
		const video = await add({ type: 'video', url: CLIP });
		const elsewhere = await add({ name: '[route]' });
		const items = [{ link: 'asset://ast_none' }, { link: video }, { link: elsewhere }];
		const run = await gateway.run(
			'video:generate',
			{ ...sdn, image_urls: ['={{ $json.link }}'] },
			{ items, ...goOn },
		);

		const expected = [
			['asset_not_found', 'The asset is missing, of another account, not active yet, or deleted.'],
			[
				'asset_type_mismatch',
				'The type of the asset does not fit the field, e.g. an image in Video URLs.',
			],
			[
				'asset_route_mismatch',
				'The asset cannot be used on the current route of the model. Use another asset or another model.',
			],
		];
		expect(run.json(NODE)).toEqual(
			expected.map(([code, message]) => ({
				error: expect.stringContaining('The gateway refused the request (Image URLs): '),
				item_index: expect.any(Number),
				message,
				details: {
					code: 'invalid_asset_reference',
					gateway_code: code,
					gateway_type: 'invalid_request_error',
					param: 'image_urls',
					http_status: 400,
					billed: 0,
					retry: false,
				},
			})),
		);
	});

	it.each([
		['asset_reference_invalid', 'Write the reference as asset://<asset_id>.'],
		['asset_reference_unsupported', 'This model or field takes no assets. Give a public link.'],
	])('is explained where only the gateway can know: %s', async (code, message) => {
		gateway.sandbox.faults.add({
			match: { path: '/v1/tasks' },
			kind: { status: 400, code, message: 'No' },
		});
		const run = await gateway.run('video:generate', { ...sdn, image_urls: [PHOTO] }, goOn);

		expect(run.json(NODE)).toEqual([
			expect.objectContaining({
				message,
				details: expect.objectContaining({ gateway_code: code, billed: 0 }),
			}),
		]);
	});
});

describe('assets that were picked', () => {
	it('join the links of their fields', async () => {
		const [image, second, video] = [
			await add(),
			await add(),
			await add({ type: 'video', url: CLIP }),
		];
		await gateway.run('video:generate', {
			...sdn,
			image_urls: [PHOTO],
			additionalFields: {
				image_assets: [image, second],
				video_assets: [video],
				first_frame_image_asset: image,
				audio_assets: [],
			},
		});

		expect(gateway.bodies()).toEqual([
			{
				model: 'sdn-2.5',
				prompt: 'waves',
				image_urls: [PHOTO, image, second],
				video_urls: [video],
				first_frame_image: image,
			},
		]);
	});

	it('do not replace a link that is set, and are not sent to a model that takes none', async () => {
		const image = await add();
		const picked = { additionalFields: { image_assets: [image], first_frame_image_asset: image } };
		await gateway.run('video:generate', { ...sdn, first_frame_image: PHOTO, ...picked });
		await gateway.run('video:generate', { model: modelId('clipk-v3'), prompt: 'waves', ...picked });

		expect(gateway.bodies()).toEqual([
			{ model: 'sdn-2.5', prompt: 'waves', first_frame_image: PHOTO, image_urls: [image] },
			{ model: 'clipk-v3', prompt: 'waves' },
		]);
	});

	it('are offered by kind, with the end of their IDs, only those that are active', async () => {
		const image = await add({ name: 'hero' });
		await add({ name: 'reject' });
		const video = await add({ type: 'video', url: CLIP });
		const audio = await add({ type: 'audio', url: 'https://example.com/a.mp3', name: 'song' });
		const offered = async (method: string) =>
			await loadOptions(gatewayNode('video:generate', sdn), method, gateway.options());

		expect(await offered('getImageAssets')).toEqual([
			{ name: `hero (sdn-2.5, …${image.slice(-4)})`, value: image },
		]);
		expect(await offered('getVideoAssets')).toEqual([
			{ name: `${video.slice(8)} (sdn-2.5)`, value: video },
		]);
		expect(await offered('getAudioAssets')).toEqual([
			{ name: `song (sdn-2.5, …${audio.slice(-4)})`, value: audio },
		]);
	});
});

describe('lists of the editor', () => {
	it('show assets a hundred at a time, and find them by name, type or ID', async () => {
		for (let n = 0; n < 101; n += 1) await add({ name: `n${n}` });
		const find = async (search = {}) =>
			await searchList(gatewayNode('asset:get', {}), 'searchAssets', search, gateway.options());
		const first = await find();

		expect(first.results).toHaveLength(100);
		expect(first.results[0]).toEqual({
			name: expect.stringMatching(/^n100 \(sdn-2\.5, image, active, ….{4}\)$/),
			value: expect.stringMatching(/^ast_/),
		});
		expect(first.paginationToken).toBe('100');
		expect(await find({ paginationToken: '100' })).toEqual({
			results: [expect.objectContaining({ name: expect.stringMatching(/^n0 \(/) })],
			paginationToken: undefined,
		});
		expect((await find({ filter: 'N42' })).results.map(({ name }) => name)).toEqual([
			expect.stringMatching(/^n42 \(/),
		]);
		expect((await find({ filter: String(first.results[7]!.value) })).results).toEqual([
			first.results[7],
		]);
		// On the second page.
		expect((await find({ filter: 'n0 ' })).results.map(({ name }) => name)).toEqual([
			expect.stringMatching(/^n0 \(/),
		]);
		expect(await find({ filter: 'kite' })).toEqual({ results: [], paginationToken: undefined });
	});

	it('leave out assets that n8n would evaluate', async () => {
		const asset = { type: 'image', status: 'active', name: 'x' };
		const evil = '={{ $env.HOME }}';
		const data = [
			{ ...asset, id: evil },
			{ ...asset, id: 'ast_2', asset_url: evil },
			{ ...asset, id: 'ast_3', asset_url: 'asset://ast_3' },
			// The editor stores it with the choice.
			{ ...asset, id: 'ast_4', name: evil },
		];
		stub.answer = (response) => json(response, { object: 'list', data });
		const { results } = await searchList(
			gatewayNode('asset:get', {}),
			'searchAssets',
			{},
			stub.options(),
		);

		expect(results.map(({ value }) => value)).toEqual(['ast_3']);
	});

	it.each([
		['text:chat', 'cld haiku', ['cld-haiku-4.5']],
		['text:message', 'gp', []],
		['text:generateContent', 'lite', ['gmn-2.5-flash-lite']],
		['text:respond', 'codex-mini', ['gp-5.1-codex-mini']],
		['text:chat', 'codex', []],
		['audio:transcribe', '', ['asr-1']],
		['embedding:create', 'LARGE', ['text-embedding-3-large']],
		['video:generate', 'pxv', ['pxv-v6']],
		['image:generate', 'pxv', []],
	] as const)(
		'show the models of %s that match "%s", without a credential',
		async (menu, filter, models) => {
			const { nodeTypes } = gateway.options();
			const { results } = await searchList(
				{ ...gatewayNode(menu, {}), credentials: undefined },
				'searchModels',
				{ filter },
				{ nodeTypes },
			);

			expect(results.map(({ value }) => value)).toEqual(models);
			expect(gateway.sandbox.requests).toEqual([]);
		},
	);
});
