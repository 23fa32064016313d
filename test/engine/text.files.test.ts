import { file } from '../../scripts/engine';
import { bodiesTo, endpoint, refusalOf, textParameters, toMessage } from '../support/conversation';
import { NODE, useGateway } from '../support/gateway';

const gateway = useGateway();

it('a file that is missing is answered with those that are there', async () => {
	const messages = [toMessage('Look', 'user', { binaryFields: 'photo' })];
	const items = [{ json: {}, binary: { picture: file('x', 'a.png', 'image/png') } }] as never[];

	expect(await refusalOf(gateway, 'chat', {}, messages, items)).toBe(
		'Message 1 names a file, but the item has no file in "photo"; it has picture',
	);
});

describe('a file for respond', () => {
	const messages = [toMessage('Look', 'user', { binaryFields: 'data' })];
	const holding = (content: Buffer | string, name: string, type: string) =>
		[{ json: {}, binary: { data: file(content, name, type) } }] as never[];

	it.each([
		[
			'of another format',
			holding('x', 'a.tiff', 'image/tiff'),
			'takes images in JPEG, PNG, GIF or WebP and videos in MP4, MOV, AVI or WebM, but the file in "data" is image/tiff',
		],
		[
			'without a type',
			[{ json: {}, binary: { data: { data: 'YQ==' } } }] as never[],
			'takes images in JPEG, PNG, GIF or WebP and videos in MP4, MOV, AVI or WebM, but the file in "data" is of an unknown type. Give it a name with an ending, e.g. photo.png',
		],
		['that is empty', holding('', 'a.png', 'image/png'), 'has an empty file in "data"'],
		[
			'beyond 20 MB',
			holding(Buffer.alloc(21 * 1024 * 1024), 'a.png', 'image/png'),
			'takes images of at most 20 MB, but the one in "data" has 21.0 MB',
		],
	])('%s is refused', async (_name, items, words) => {
		expect(await refusalOf(gateway, 'respond', {}, messages, items)).toBe(`Message 1 ${words}`);
	});

	it.each([
		['a.pdf', '', 'application/pdf'],
		['a.txt', 'application/octet-stream', 'text/plain'],
		['a.json', 'application/json', 'application/json'],
		['scan.png', 'application/pdf', 'application/pdf'],
	])('for the native endpoint may be %s, as "%s"', async (name, type, sent) => {
		const one = endpoint('generateContent');
		await gateway.run(one.menu, textParameters(one, messages), { items: holding('x', name, type) });

		expect(JSON.stringify(bodiesTo(gateway, one))).toContain(`"mimeType":"${sent}"`);
	});

	it('for the native endpoint must have a known type', async () => {
		const items = holding('x', 'a.bin', 'application/octet-stream');

		expect(await refusalOf(gateway, 'generateContent', {}, messages, items)).toBe(
			'Message 1 takes files of a known type, but the file in "data" is of an unknown type. Give it a name with an ending, e.g. photo.png',
		);
	});

	it.each(['application/octet-stream', '', 'text/plain'])(
		'named as a picture is one, as "%s"',
		async (type) => {
			const one = endpoint('respond');
			const items = holding('x', 'a.png', type);
			await gateway.run(one.menu, textParameters(one, messages), { items });

			expect(JSON.stringify(bodiesTo(gateway, one))).toContain('data:image/png;base64,');
		},
	);

	it('of exactly 20 MB is taken', async () => {
		const one = endpoint('respond');
		const run = await gateway.run(one.menu, textParameters(one, messages), {
			items: holding(Buffer.alloc(20 * 1024 * 1024), 'a.png', 'image/png'),
		});

		expect(run.json(NODE)).toEqual([expect.objectContaining({ text: 'You said: Look' })]);
	});
});
