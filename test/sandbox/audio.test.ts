import { readError, useSandbox } from '../support/useSandbox';

describe('speech', () => {
	const fixture = useSandbox();

	const send = (
		name: string | undefined,
		content: Buffer,
		fields: Record<string, string> = { model: 'asr-1' },
		path = 'transcriptions',
	) => {
		const form = new FormData();
		if (name !== undefined) form.append('file', new Blob([new Uint8Array(content)]), name);
		for (const [field, value] of Object.entries(fields)) form.append(field, value);
		return fixture.http.post(`/v1/audio/${path}`, form, { maxBodyLength: Infinity });
	};
	const sound = Buffer.alloc(1234, 1);

	it('is transcribed, and translated', async () => {
		expect((await send('talk.mp3', sound)).data).toEqual({
			text: 'Transcript of talk.mp3 (1234 bytes).',
		});
		expect(
			(await send('talk.webm', sound, { model: 'asr-1', language: 'de' }, 'translations')).data
				.text,
		).toMatch(/^English .*talk\.webm/);
	});

	it('is counted, however large', async () => {
		const { data } = await send('long.wav', Buffer.alloc(80_000_001));
		expect(data.text).toContain('80000001 bytes');
	});

	it.each(['mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'wav', 'webm', 'WAV'])(
		'may be %s',
		async (extension) => {
			expect((await send(`talk.${extension}`, sound)).status).toBe(200);
		},
	);

	it('needs a file that is not empty, of a known format, and the model', async () => {
		expect(readError(await send(undefined, sound))).toMatchObject({ status: 400, param: 'file' });
		expect(readError(await send('talk.mp3', Buffer.alloc(0)))).toMatchObject({
			status: 400,
			param: 'file',
		});
		expect(readError(await send('talk.txt', sound))).toMatchObject({ status: 400, param: 'file' });
		expect(readError(await send('talk.flac', sound))).toMatchObject({ status: 400, param: 'file' });
		expect(readError(await send('talk.mp3', sound, {}))).toMatchObject({
			status: 400,
			param: 'model',
		});
		expect(readError(await send('talk.mp3', sound, { model: 'gp-5' }))).toMatchObject({
			status: 400,
			param: 'model',
		});
		expect((await fixture.http.post('/v1/audio/transcriptions', { model: 'asr-1' })).status).toBe(
			400,
		);
	});

	it('costs', async () => {
		fixture.sandbox.settings.quotaExhausted = true;
		expect((await send('talk.mp3', sound)).status).toBe(402);
	});
});
