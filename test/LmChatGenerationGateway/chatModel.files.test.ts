import { answer, createModel } from '../support/gatewayChatModel';
import { catchError } from '../support/gatewayClient';

it('sees pictures, as files and as links', async () => {
	const { model, clock, requests } = createModel('gp-5', [answer]);
	const content = [
		{ type: 'text', text: 'What is it?' },
		{ type: 'file', mediaType: 'image/png', data: 'QUJD' },
		{ type: 'file', data: 'data:image/webp;base64,REVG' },
		{ type: 'file', data: new Uint8Array([65]), mediaType: 'image/gif' },
		{ type: 'file', providerMetadata: { url: 'https://example.com/a.png' } },
		{ type: 'file', data: new Uint8Array(), providerMetadata: { url: 'https://example.com/b' } },
		{ type: 'file', data: 'https://example.com/c' },
		{ type: 'file' },
	];
	await clock.run(model.generate([{ role: 'user', content }]));

	const image = (url: string) => ({ type: 'image_url', image_url: { url } });
	expect((requests[0]!.body!.messages as object[])[0]).toEqual({
		role: 'user',
		content: [
			{ type: 'text', text: 'What is it?' },
			image('data:image/png;base64,QUJD'),
			image('data:image/webp;base64,REVG'),
			image('data:image/gif;base64,QQ=='),
			image('https://example.com/a.png'),
			image('https://example.com/b'),
			image('https://example.com/c'),
		],
	});
});

it.each([
	['gp-5', 'messages', (url: string, more: object) => ({ image_url: { url, ...more } })],
	['gp-5-codex', 'input', (image_url: string, more: object) => ({ image_url, ...more })],
])('looks at each as closely as the chain asks, with %s', async (name, list, toPart) => {
	const { model, clock, requests } = createModel(name, [answer]);
	const [link, file, low] = [
		'https://example.com/a.png',
		'data:image/png;base64,QUJD',
		{ detail: 'low' },
	];
	const content = [
		{ type: 'file', providerMetadata: { url: link, ...low } },
		{ type: 'file', mediaType: 'image/png', data: 'QUJD' },
		{ type: 'file', mediaType: 'image/png', data: 'QUJD', providerMetadata: low },
	];
	await clock.run(model.generate([{ role: 'user', content }]).catch(() => undefined));

	expect((requests[0]!.body![list] as object[])[0]).toEqual({
		role: 'user',
		content: [
			[link, low],
			[file, {}],
			[file, low],
		].map(([url, more]) => expect.objectContaining(toPart(url as string, more as object))),
	});
});

it('sends what may be a picture, and files of earlier answers', async () => {
	const { model, clock, requests } = createModel('gp-5', [answer]);
	const unknown = { type: 'file', mediaType: 'application/octet-stream', data: 'QUJD' };
	const loud = { type: 'file', mediaType: 'IMAGE/PNG', data: 'QUJD' };
	const given = { type: 'file', mediaType: 'application/pdf', data: 'JVBERg==' };
	await clock.run(
		model.generate([
			{ role: 'user', content: [unknown, loud] },
			{ role: 'assistant', content: [given] },
			{ role: 'user', content: [{ type: 'text', text: 'And now?' }] },
		]),
	);

	expect(requests).toHaveLength(1);
});

it.each([
	{ mediaType: 'application/pdf', data: 'JVBERg==' },
	{ data: 'data:application/pdf;base64,JVBERg==' },
])('refuses another file than a picture, before anything is sent: %j', async (file) => {
	const { model, clock, requests } = createModel('gp-5', [answer]);
	const content = [{ type: 'file', ...file }];
	const error = await clock.run(catchError(model.generate([{ role: 'user', content }])));

	expect(error).toMatchObject({
		code: 'invalid_input',
		message: 'The model takes images only, but a file of the message is application/pdf',
	});
	expect(requests).toEqual([]);
});
