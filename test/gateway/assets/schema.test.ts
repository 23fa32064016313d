import { readAsset, readAssets } from '../../../nodes/gateway/assets/schema';

const active = {
	id: 'ast_1',
	object: 'asset',
	model: 'sdn-2.0',
	type: 'video',
	name: 'Harbour',
	status: 'active',
	duration_seconds: 12.5,
	created_at: 1_790_000_000,
	updated_at: 1_790_000_060,
	asset_url: 'asset://ast_1',
};
const reasonOf = (message: unknown) =>
	readAsset({ id: 'ast_1', status: 'failed', error: { message } })?.reason;

describe('an asset', () => {
	it('is read with its times in ISO 8601, and keeps the object it came as', () => {
		expect(readAsset(active)).toEqual({
			id: 'ast_1',
			model: 'sdn-2.0',
			type: 'video',
			name: 'Harbour',
			status: 'active',
			duration_seconds: 12.5,
			created_at: '2026-09-21T14:13:20.000Z',
			updated_at: '2026-09-21T14:14:20.000Z',
			asset_url: 'asset://ast_1',
			reason: undefined,
			raw: active,
		});
	});

	it('is read out of data, and without the fields it may lack', () => {
		expect(readAsset({ code: 'success', data: { id: 'ast_1' } })).toMatchObject({
			id: 'ast_1',
			status: 'processing',
		});
		expect(
			readAsset({ ...active, name: null, duration_seconds: 'long', created_at: 'soon' }),
		).toMatchObject({ id: 'ast_1', name: null, duration_seconds: null, created_at: null });
	});

	it.each([
		['nothing', undefined],
		['null', null],
		['text', 'ast_1'],
		['an object without an ID', { status: 'active' }],
		['an empty ID', { id: '' }],
		['data of null', { data: null }],
	])('is not read out of %s', (_name, raw) => expect(readAsset(raw)).toBeUndefined());

	it('is passed over in a list where it is none, and counted', () => {
		expect(
			readAssets({ object: 'list', data: [active, null, { status: 'active' }] }),
		).toMatchObject({ assets: [{ id: 'ast_1' }], size: 3 });
		expect(readAssets([active])).toMatchObject({ assets: [{ id: 'ast_1' }], size: 1 });
		expect(readAssets({ object: 'list' })).toEqual({ assets: [], size: 0 });
	});

	it.each([{ error: { message: 'No' } }, {}, 'ok', null, { data: {} }])(
		'is not looked for in %j, which is no list',
		(body) => expect(readAssets(body)).toBeUndefined(),
	);
});

describe('why an asset failed', () => {
	it.each<[string, string, boolean?]>([
		[
			'素材总像素数超出 407696 至 8295044 的范围',
			'The total pixel count is outside 407,696 to 8,295,044',
		],
		['图片分辨率过低', 'The total pixel count is outside 407,696 to 8,295,044'],
		['模型不支持该素材的宽高比', 'The aspect ratio is not supported by the model'],
		['长宽比超出模型支持范围', 'The aspect ratio is not supported by the model'],
		['模型不支持该素材的时长', 'The duration is not supported by the model'],
		['视频时长不符合要求', 'The duration is not supported by the model'],
		['不支持的素材格式', 'The format is not supported'],
		['上游处理超时', 'Processing timed out upstream', true],
		['素材未通过模型供应商审核', "The model provider's review rejected it"],
		['内容违规', "The model provider's review rejected it"],
		['审核超时', 'The review timed out', true],
		['素材审查已超时，请重新上传', 'The review timed out', true],
		['审核时长超过24小时', 'The review timed out', true],
		['审核时间过长', 'The review timed out', true],
		['审核不通过：视频超时长限制', 'The duration is not supported by the model'],
		['审核不通过：时长超过限制', 'The duration is not supported by the model'],
		['素材注册失败', 'The registration did not go through', true],
		['素材注册失败（错误码 1203）', 'The registration did not go through', true],
		['素材注册失败（错误码：InvalidFormat）', 'The registration did not go through', true],
		...[
			'素材注册失败（错误码为 InvalidFormat）',
			'素材注册失败，错误代码：InvalidFormat',
			'registration failed, error_code: InvalidDuration',
			'registration failed, ErrorCode=FormatInvalid',
			'素材注册失败（错误码：[InvalidPixel]）',
			'素材注册失败（错误码: Asset/InvalidFormat）',
		].map(
			(original) =>
				[original, 'The registration did not go through', true] as [string, string, true],
		),
		['错误码：PixelOutOfRange', 'The total pixel count is outside 407,696 to 8,295,044'],
		['QR code format not supported', 'The format is not supported'],
		['registration failed (code InvalidDuration)', 'The registration did not go through', true],
		['registration failed: unsupported codec, use h264 format', 'The format is not supported'],
	])(
		'is said in English, with whether the same file may pass: %s',
		(original, english, mayPass = false) =>
			expect(reasonOf(original)).toEqual({ english, original, mayPass }),
	);

	it('stays as it is where no meaning fits', () => {
		const unknown = { english: '未知原因', original: '未知原因', mayPass: false };
		expect(reasonOf('未知原因')).toEqual(unknown);
	});

	it('is read from an error that is text, and from none', () => {
		expect(readAsset({ id: 'ast_1', error: '审核超时' })?.reason?.english).toBe(
			'The review timed out',
		);
		expect(readAsset({ id: 'ast_1', error: null })?.reason).toBeUndefined();
		expect(reasonOf('')).toBeUndefined();
		expect(reasonOf(undefined)).toBeUndefined();
	});
});
