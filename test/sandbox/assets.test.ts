import type { AxiosResponse } from 'axios';
import type { Body } from '../../sandbox';
import { clientOf, readError, useSandbox } from '../support/useSandbox';

const link = 'https://example.com/face.png';

describe('the asset library', () => {
	const fixture = useSandbox({ assetReviewMs: 0, taskMs: 0 });
	const upload = (body: Body = {}): Promise<AxiosResponse> =>
		fixture.http.post('/v1/assets', {
			model: 'sdn-2.0',
			type: 'image',
			name: 'face',
			url: link,
			...body,
		});

	it('reviews an upload, then shows its reference', async () => {
		fixture.sandbox.settings.assetReviewMs = Infinity;
		const { data: fresh } = await upload();
		expect(fresh).toEqual({
			id: expect.stringMatching(/^ast_/),
			object: 'asset',
			model: 'sdn-2.0',
			type: 'image',
			name: 'face',
			status: 'processing',
			created_at: expect.any(Number),
			updated_at: expect.any(Number),
		});
		fixture.sandbox.settings.assetReviewMs = 0;
		const { data: second } = await upload();
		expect((await fixture.http.get(`/v1/assets/${second.id}`)).data).toMatchObject({
			status: 'active',
			asset_url: `asset://${second.id}`,
		});
	});

	it('rejects what says so, and tells why in Chinese', async () => {
		const { data } = await upload({ name: 'reject-ratio' });
		expect(data).toMatchObject({
			status: 'failed',
			error: { message: expect.stringMatching(/宽高比/) },
		});
		expect((await upload({ url: 'https://example.com/reject.png' })).data.status).toBe('failed');
	});

	it('gives up a review after 24 hours', async () => {
		fixture.sandbox.settings.assetReviewMs = Infinity;
		const { data } = await upload();
		fixture.sandbox.settings.now = () => Date.now() + 86_400_001;
		expect((await fixture.http.get(`/v1/assets/${data.id}`)).data.status).toBe('failed');
	});

	it('refreshes a status only so often', async () => {
		let now = Date.now();
		Object.assign(fixture.sandbox.settings, {
			assetRefreshMs: 5000,
			assetReviewMs: 1000,
			now: () => now,
		});
		const { data } = await upload();
		const status = async (): Promise<string> =>
			(await fixture.http.get(`/v1/assets/${data.id}`)).data.status;
		now += 2000;
		expect(await status()).toBe('processing');
		now += 3000;
		expect(await status()).toBe('active');
	});

	it('takes the link under any likely name, and guesses the type', async () => {
		for (const field of ['link', 'source_url', 'asset_url', 'video_url']) {
			const { data } = await upload({
				url: undefined,
				type: undefined,
				[field]: 'https://example.com/walk-12s.mp4',
			});
			expect(data).toMatchObject({ type: 'video', duration_seconds: 12 });
		}
	});

	it('refuses bad uploads', async () => {
		const refused = async (body: Body): Promise<Body> => readError(await upload(body));
		expect(await refused({ url: undefined })).toMatchObject({ status: 400, param: 'url' });
		expect(await refused({ url: 'data:image/png;base64,AAAA' })).toMatchObject({ status: 400 });
		expect(await refused({ url: `https://example.com/${'x'.repeat(4096)}` })).toMatchObject({
			status: 400,
		});
		expect(await refused({ model: 'clipk-v3' })).toMatchObject({ status: 400, param: 'model' });
		expect(await refused({ type: 'text' })).toMatchObject({ status: 400, param: 'type' });
		expect(
			await refused({ type: 'video', url: 'https://example.com/unreadable.mp4' }),
		).toMatchObject({
			status: 400,
			code: 'asset_duration_unknown',
		});
	});

	it('limits assets that are not failed, and uploads per minute', async () => {
		fixture.sandbox.settings.assetLimit = 2;
		await upload({ name: 'reject' });
		await upload();
		const { data } = await upload();
		expect((await upload()).status).toBe(400);
		await fixture.http.delete(`/v1/assets/${data.id}`);
		expect((await upload()).status).toBe(200);
		fixture.sandbox.settings.assetUploadsPerMinute = 1;
		expect((await upload()).status).toBe(429);
	});

	it('lists newest first, page by page', async () => {
		for (let i = 0; i < 25; i++) await upload({ name: `a${i}` });
		const names = async (query: string): Promise<string[]> =>
			(await fixture.http.get(`/v1/assets${query}`)).data.data.map(
				({ name }: { name: string }) => name,
			);
		expect((await names('')).slice(0, 2)).toEqual(['a24', 'a23']);
		expect(await names('')).toHaveLength(20);
		for (const limit of ['0', '101', 'x', '-1'])
			expect(await names(`?limit=${limit}`)).toHaveLength(20);
		expect(await names('?limit=10&offset=20')).toEqual(['a4', 'a3', 'a2', 'a1', 'a0']);
	});

	it('deletes, once, and only what is the account’s own', async () => {
		const { data } = await upload();
		const path = `/v1/assets/${data.id}`;
		const other = clientOf(fixture.sandbox.url, { authorization: 'Bearer other-key' });
		expect((await other.get(path)).status).toBe(404);
		expect((await other.delete(path)).status).toBe(404);
		expect((await fixture.http.delete(path)).data).toEqual({
			id: data.id,
			object: 'asset',
			deleted: true,
		});
		expect((await fixture.http.delete(path)).status).toBe(404);
		expect((await fixture.http.get('/v1/assets')).data).toEqual({ object: 'list', data: [] });
		expect(fixture.sandbox.assets()).toMatchObject([{ id: data.id, status: 'deleted' }]);
	});
});
