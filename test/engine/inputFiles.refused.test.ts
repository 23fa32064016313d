import type { IDataObject } from 'n8n-workflow';
import { file, type GivenItem } from '../../scripts/engine';
import { modelId, NODE } from '../support/gateway';
import { toPublicUrl } from '../support/publicHost';
import { clip, edit, item, photo, useInputFiles } from '../support/useInputFiles';

const { gateway, run } = useInputFiles();

describe('a file that cannot be sent', () => {
	it.each<[string, GivenItem['binary'], IDataObject, string[]]>([
		[
			'of another kind',
			{ data: clip },
			{ image_urls: ['data'] },
			['Image URLs: the file in "data" must be an image, but is video/mp4'],
		],
		[
			'in another format',
			{ data: file('a face', 'face.tif', 'image/tiff') },
			{ image_urls: ['data'] },
			['Image URLs: the file in "data" must be PNG, JPG, WEBP, GIF or BMP, but is TIFF'],
		],
		[
			'that is empty',
			{ data: photo('') },
			{ image_urls: ['data'] },
			['Image URLs: the file in "data" is empty'],
		],
		[
			'that is not there',
			{ data: photo() },
			{ image_urls: ['picture'] },
			['Image URLs: the item has no file in "picture"; it has data'],
		],
		[
			'whose name is inherited',
			{ data: photo() },
			{ image_urls: ['constructor'] },
			['Image URLs: the item has no file in "constructor"; it has data'],
		],
		[
			'with another wrong value',
			{ data: clip },
			{ image_urls: ['data'], additionalFields: { steps: 500 } },
			['the file in "data" must be an image, but is video/mp4', 'Steps must be 1 to 50'],
		],
	])('%s is named, and nothing is sent', async (_name, binary, parameters, messages) => {
		const ran = await run([item(binary)], 'image:generate', { ...edit, ...parameters });

		for (const message of messages)
			expect(`${ran.nodeError(NODE)?.message} ${ran.nodeError(NODE)?.description}`).toContain(
				message,
			);
		expect(gateway.posts()).toEqual([]);
	});

	it('within a list is named with the list, and other mistakes quote what was written', async () => {
		const submit = async (images: unknown[]) => {
			const parameters = { prompt: 'waves', image_with_roles: images, constructor: 'data' };
			const ran = await run([item({ data: photo() })], 'task:submit', {
				model: modelId('sdn-2.5'),
				parameters: JSON.stringify(parameters),
			});
			const { message, description } = ran.nodeError(NODE)!;
			return `${message}\n${description}`;
		};

		expect(await submit([{ url: 'picture' }])).toContain(
			'URL in Images with Roles: the item has no file in "picture"; it has data',
		);
		expect(await submit([{ url: 'data' }, 5])).toContain(
			'Images with Roles must be a list of JSON objects, but is [{"url":"data"},5]',
		);
		expect(await submit([{ url: ['data'] }])).toContain(
			'URL in Images with Roles must be one link, but is ["data"]',
		);
		expect(gateway.posts()).toEqual([]);
	});

	it('of a type that n8n does not know passes', async () => {
		await run(
			[item({ data: file('bytes', 'face', 'application/octet-stream') })],
			'image:generate',
			{ ...edit, image_urls: ['data'] },
		);
		expect(gateway.posts()).toHaveLength(1);
	});

	it('of no type at all passes', async () => {
		const typeless = { ...photo(), mimeType: undefined } as never;
		const ran = await run([item({ data: typeless })], 'image:generate', {
			...edit,
			image_urls: ['data'],
		});
		expect([ran.status, gateway.posts().length]).toEqual(['success', 1]);
	});

	it('because n8n keeps it in memory, says what to change', async () => {
		const ran = await gateway.run(
			'image:generate',
			{ ...edit, image_urls: ['data'] },
			{ items: [item({ data: photo() })], engine: { binaryMode: 'default' } },
		);

		expect(ran.nodeError(NODE)).toMatchObject({
			message: 'The file in "data" is kept in memory, so there is no link to it',
			description: expect.stringContaining('N8N_DEFAULT_BINARY_DATA_MODE'),
		});
		expect(gateway.posts()).toEqual([]);
	});

	const animate = { model: modelId('clipk-v3'), action: 'image2video', prompt: 'a kite' };
	const asr = { model: modelId('asr-1') };
	const chat = (model: string) => ({
		model: modelId(model),
		messages: { entry: [{ role: 'user', text: 'Look', binaryFields: 'data' }] },
	});
	it.each([
		['image:generate', { ...edit, image_urls: ['data'] }],
		['video:generate', { ...animate, first_frame_image: 'data' }],
		['task:submit', { model: modelId('flx-2-flex'), parameters: { image_urls: ['data'] } }],
		['asset:create', { source: 'binary', assetModel: 'sdn-2.5', assetType: 'image' }],
		['audio:transcribe', asr],
		['audio:translate', asr],
		['text:chat', chat('gp-5')],
		['text:respond', chat('gp-5')],
		['text:message', { ...chat('cld-opus-4.6'), max_tokens: 9 }],
		['text:generateContent', chat('gmn-2.5-pro')],
	] as const)('because n8n has lost it, costs nothing: %s', async (menu, parameters) => {
		const id = 'filesystem-v2:workflows/1/executions/1/binary_data/gone';
		const name = menu.startsWith('audio') ? 'talk.mp3' : 'face.png';
		const lost = { ...file('', name, name === 'face.png' ? 'image/png' : 'audio/mpeg'), id };
		const ran = await gateway.run(menu, parameters, {
			items: [item({ data: lost })],
			node: { onError: 'continueRegularOutput' },
		});

		expect(ran.json(NODE)).toMatchObject([
			{
				error: `n8n could not read ${name} (File not found)`,
				message: 'Nothing was sent. Run the nodes before this one again.',
				details: { code: 'file_unavailable', retry: false, billed: 0 },
			},
		]);
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it('because the gateway cannot reach this n8n, says what to change', async () => {
		const credentials = {
			generationGatewayApi: {
				baseUrl: toPublicUrl(gateway.sandbox.url),
				apiKey: gateway.sandbox.key,
			},
		};
		const ran = await gateway.run(
			'image:generate',
			{ ...edit, image_urls: ['data'] },
			{ items: [item({ data: photo() })], engine: { credentials } },
		);

		expect(ran.nodeError(NODE)).toMatchObject({
			message: expect.stringMatching(/^The gateway cannot reach this n8n at localhost:5678/),
			description: expect.stringContaining('Set WEBHOOK_URL to the public address of n8n'),
		});
		expect(gateway.posts()).toEqual([]);
	});
});
