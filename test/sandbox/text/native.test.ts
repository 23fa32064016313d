import type { Body } from '../../../sandbox';
import { clientOf, readError, useSandbox } from '../../support/useSandbox';

describe('generateContent', () => {
	const fixture = useSandbox();
	const generate = (body: Body, model = 'gmn-2.5-flash') =>
		clientOf(fixture.sandbox.url, { 'x-g-api-key': 'sandbox-key' }).post(
			`/v1/models/${model}:generateContent`,
			{
				contents: [{ role: 'user', parts: [{ text: 'hello there' }] }],
				...body,
			},
		);

	it('has the shape of the spec', async () => {
		expect((await generate({})).data).toEqual({
			candidates: [
				{
					content: { role: 'model', parts: [{ text: 'You said: hello there' }] },
					finishReason: 'STOP',
					safetyRatings: [],
				},
			],
			usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 4, totalTokenCount: 6 },
		});
	});

	it('takes turns, inline data, safety settings and generation settings', async () => {
		const contents = [
			{
				role: 'user',
				parts: [{ text: 'look' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
			},
			{ role: 'model', parts: [{ text: 'a dot' }] },
			{ role: 'user', parts: [{ text: 'more' }] },
		];
		const generationConfig = { temperature: 2, maxOutputTokens: 2, topP: 0.9, topK: 40 };
		const { data } = await generate({ contents, generationConfig, safetySettings: [] });
		expect(data.candidates[0]).toMatchObject({
			content: { parts: [{ text: 'You said:' }] },
			finishReason: 'MAX_TOKENS',
		});
	});

	it.each([
		['contents', { contents: undefined }],
		['contents', { contents: [] }],
		['contents', { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }],
		['parts', { contents: [{ role: 'user', parts: [] }] }],
		['contents', { contents: [{ role: 'user', parts: [{ inlineData: { data: 'AAAA' } }] }] }],
		['generationConfig.temperature', { generationConfig: { temperature: 2.5 } }],
		['generationConfig.maxOutputTokens', { generationConfig: { maxOutputTokens: '9' } }],
		['generationConfig', { generationConfig: 'hot' }],
	])('refuses %s in %j', async (param, body) => {
		expect(readError(await generate(body))).toMatchObject({ status: 400, param });
	});

	it('is there for its five models only', async () => {
		for (const model of [
			'gmn-3.1-pro-preview',
			'gmn-3-flash-preview',
			'gmn-2.5-pro',
			'gmn-2.5-flash',
			'gmn-2.5-flash-lite',
		]) {
			expect((await generate({}, model)).status).toBe(200);
		}
		expect(readError(await generate({}, 'gp-5'))).toMatchObject({ status: 400, param: 'model' });
	});
});
