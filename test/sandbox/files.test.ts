import { PNG } from 'pngjs';
import jpeg from 'jpeg-js';
import type { Body } from '../../sandbox';
import { clientOf, useSandbox } from '../support/useSandbox';

describe('result files', () => {
	const fixture = useSandbox({ taskMs: 0 });

	const links = async (body: Body): Promise<string[]> => {
		const { data } = await fixture.submit({ prompt: 'a harbour', ...body }, { prefer: 'wait=1' });
		const items: { url: string[] }[] = data.result.images ?? data.result.videos;
		return items.flatMap(({ url }) => url);
	};
	const download = async (url: string, headers: Record<string, string> = {}) =>
		clientOf('', headers).get<Buffer>(url, { responseType: 'arraybuffer' });

	it('are pictures of the wanted shape', async () => {
		const [link = ''] = await links({ model: 'qwn-image-2.0', aspect_ratio: '16:9' });
		const { headers, data } = await download(link);
		expect(headers['content-type']).toBe('image/png');
		const { width, height } = PNG.sync.read(data);
		expect(width / height).toBeCloseTo(16 / 9, 1);
	});

	it('are JPEG or WebP where the model says so', async () => {
		const [photo = ''] = await links({ model: 'imgn-4.0', aspect_ratio: '9:16' });
		const { headers, data } = await download(photo);
		expect(headers['content-type']).toBe('image/jpeg');
		const { width, height } = jpeg.decode(data);
		expect(height).toBeGreaterThan(width);
		const [web = ''] = await links({ model: 'flx-2-pro', output_format: 'webp' });
		expect((await download(web)).data.subarray(0, 16).toString('latin1')).toMatch(
			/^RIFF[^]{4}WEBPVP8L$/,
		);
	});

	it('differ by prompt and index, and are the same each time', async () => {
		const cats = await links({ model: 'qwn-image-2.0', prompt: 'cats', n: 2 });
		const again = await links({ model: 'qwn-image-2.0', prompt: 'cats' });
		const [first, second, repeated] = await Promise.all(
			[...cats, ...again].map(async (link) => (await download(link)).data),
		);
		expect(first?.equals(second as Buffer)).toBe(false);
		expect(first?.equals(repeated as Buffer)).toBe(true);
	});

	it('are films with the structure of an MP4 and the requested length', async () => {
		const [link = ''] = await links({ model: 'clipk-v3', duration: 7 });
		const { headers, data } = await download(link);
		expect(headers['content-type']).toBe('video/mp4');
		const boxes: string[] = [];
		for (let at = 0; at < data.length; at += data.readUInt32BE(at))
			boxes.push(data.toString('latin1', at + 4, at + 8));
		expect(boxes).toEqual(['ftyp', 'moov', 'mdat']);
		const header = data.indexOf('mvhd') + 4;
		expect(data.readUInt32BE(header + 16) / data.readUInt32BE(header + 12)).toBe(7);
		const chunk = data.readUInt32BE(data.indexOf('stco') + 12);
		expect(chunk).toBe(data.indexOf('mdat') + 4);
	});

	it('expire', async () => {
		fixture.sandbox.settings.linkValiditySeconds = 60;
		const [link = ''] = await links({ model: 'imgn-4.0' });
		fixture.sandbox.settings.now = () => Date.now() + 61_000;
		expect((await download(link)).status).toBe(410);
	});

	it('do not exist before the end, beyond n, or of failed tasks', async () => {
		fixture.sandbox.settings.taskMs = Infinity;
		const { data } = await fixture.submit({ model: 'imgn-4.0', prompt: 'a harbour' });
		const link = `${fixture.sandbox.url}/files/${data.task_id}-0.jpg`;
		expect((await download(link)).status).toBe(404);
		await fixture.sandbox.finish(data.task_id);
		expect((await download(link)).status).toBe(200);
		expect((await download(link.replace('-0.', '-1.'))).status).toBe(404);
	});

	it('note a leaked key and refuse', async () => {
		const [link = ''] = await links({ model: 'imgn-4.0' });
		const path = new URL(link).pathname;
		expect((await download(link)).status).toBe(200);
		expect(fixture.sandbox.leaks).toEqual([]);
		expect((await download(link, { authorization: 'Bearer sandbox-key' })).status).toBe(400);
		expect((await download(link, { 'x-api-key': 'sandbox-key' })).status).toBe(400);
		expect((await download(`${link}?key=sandbox-key`)).status).toBe(400);
		expect(fixture.sandbox.leaks).toEqual([
			`GET ${path} authorization`,
			`GET ${path} x-api-key`,
			`GET ${path} url`,
		]);
		expect(fixture.sandbox.downloads.map(({ status }) => status)).toEqual([200, 400, 400, 400]);
	});

	it('can be as large as one likes', async () => {
		const { data, headers } = await download(`${fixture.sandbox.url}/files/big?bytes=3000001`);
		expect(headers['content-length']).toBe('3000001');
		expect(data).toHaveLength(3_000_001);
	});
});
