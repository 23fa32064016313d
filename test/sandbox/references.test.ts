import type { AxiosResponse } from 'axios';
import type { Body } from '../../sandbox';
import { clientOf, readError, useSandbox } from '../support/useSandbox';

const link = 'https://example.com/face.png';

describe('asset references in tasks', () => {
	const fixture = useSandbox({ assetReviewMs: 0, taskMs: 0 });
	const upload = (body: Body = {}): Promise<AxiosResponse> =>
		fixture.http.post('/v1/assets', {
			model: 'sdn-2.0',
			type: 'image',
			name: 'face',
			url: link,
			...body,
		});
	const asset = async (body: Body = {}): Promise<string> =>
		`asset://${(await upload(body)).data.id}`;
	const submit = async (body: Body): Promise<Body> =>
		readError(await fixture.submit({ model: 'sdn-2.0', prompt: 'a walk', ...body }));

	it('are taken in every field that takes them, mixed with links', async () => {
		const image = await asset();
		const video = await asset({ type: 'video' });
		const audio = await asset({ type: 'audio' });
		const { status } = await submit({
			image_urls: [image, link],
			first_frame_image: image,
			last_frame_image: image,
			image_with_roles: [{ url: image, role: 'face' }],
			video_urls: [video],
			audio_urls: [audio],
		});
		expect(status).toBe(200);
	});

	it.each([
		['asset_reference_invalid', { image_urls: ['asset://'] }, 'image_urls'],
		['asset_reference_invalid', { image_urls: ['asset:ast_1'] }, 'image_urls'],
		['asset_not_found', { image_urls: ['asset://ast_unknown'] }, 'image_urls'],
		[
			'asset_reference_unsupported',
			{ model: 'clipk-v3', image_urls: ['asset://ast_1'] },
			'image_urls',
		],
		[
			'asset_reference_unsupported',
			{ model: 'qwn-image-2.0', image_urls: ['asset://ast_1'] },
			'image_urls',
		],
		['asset_reference_unsupported', { mask_url: 'asset://ast_1' }, 'mask_url'],
	])('%s: %j', async (code, body, param) => {
		expect(await submit(body)).toMatchObject({
			status: 400,
			code,
			param,
			type: 'invalid_request_error',
		});
		expect(fixture.sandbox.tasks()).toEqual([]);
	});

	it('must be active, of the account, of the right type and route', async () => {
		const foreign = await clientOf(fixture.sandbox.url, { authorization: 'Bearer other-key' }).post(
			'/v1/assets',
			{ url: link },
		);
		expect(await submit({ image_urls: [`asset://${foreign.data.id}`] })).toMatchObject({
			code: 'asset_not_found',
		});
		const rejected = await asset({ name: 'reject' });
		expect(await submit({ first_frame_image: rejected })).toMatchObject({
			code: 'asset_not_found',
			param: 'first_frame_image',
		});
		const image = await asset();
		expect(await submit({ video_urls: [image] })).toMatchObject({
			code: 'asset_type_mismatch',
			param: 'video_urls',
		});
		const routed = await asset({ name: '[route]' });
		expect(await submit({ image_urls: [routed] })).toMatchObject({ code: 'asset_route_mismatch' });
		await fixture.http.delete(`/v1/assets/${image.slice('asset://'.length)}`);
		expect(await submit({ image_urls: [image] })).toMatchObject({ code: 'asset_not_found' });
	});

	it('in a prompt are only words', async () => {
		expect(await submit({ prompt: 'asset://ast_1 walks' })).toMatchObject({ status: 200 });
	});
});
