import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { file, itemsNode, linear, type NodeSpec } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway, type Menu } from '../support/gateway';
import { useInstance } from '../support/useInstance';

const gateway = useGateway();
const instance = useInstance();

/** A workflow whose files are part of the JSON. */
const run = async (binary: Record<string, object>, ...nodes: NodeSpec[]) =>
	await instance.run(
		{
			...linear(itemsNode([{ binary: binary as never, json: {} }]), ...nodes),
			settings: { binaryMode: 'combined' },
		},
		gateway.options(),
	);
const node = (menu: Menu, parameters: IDataObject, more: Partial<NodeSpec> = {}) =>
	gatewayNode(menu, parameters, more);
const photo = { data: file('a face', 'face.png', 'image/png') };
const recording = { data: file('a voice', 'voice.mp3', 'audio/mpeg') };
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const lastBody = () => gateway.sandbox.requests.at(-1)!.body as IDataObject;

describe('with files in the JSON (Binary Mode: Combined)', () => {
	it('takes the picture that one node has made as the first frame of the next', async () => {
		const ran = await run(
			{},
			node('image:generate', kite, { name: 'Picture' }),
			node('video:generate', {
				model: modelId('clipk-v3'),
				action: 'image2video',
				prompt: 'a kite',
				first_frame_image: 'data',
			}),
		);

		expect(ran.status).toBe('success');
		const { _files: files } = ran.json('Picture')[0] as { _files: Record<string, IBinaryData> };
		expect(files).toHaveProperty('data.id');
		const [, video] = gateway.bodies() as IDataObject[];
		expect(video!.first_frame_image).toMatch(/signed\?token=/);
		expect(ran.json(NODE)[0]).toHaveProperty('_files.data.mimeType', 'video/mp4');
	});

	it.each(['data', '_files.data'])('sends the file of a message: %s', async (binaryFields) => {
		const message = { role: 'user', text: 'Who is it?', binaryFields };
		await run(
			photo,
			node('text:chat', { model: modelId('gp-5-mini'), messages: { entry: [message] } }),
		);

		const base64 = Buffer.from('a face').toString('base64');
		expect(JSON.stringify(lastBody())).toContain(`data:image/png;base64,${base64}`);
	});

	it('transcribes a recording', async () => {
		const ran = await run(
			recording,
			node('audio:transcribe', { model: modelId('asr-1'), binaryPropertyName: 'data' }),
		);

		expect([ran.status, ran.json(NODE)[0]]).toEqual([
			'success',
			{ text: expect.stringContaining('voice.mp3') },
		]);
	});

	it.each([
		['image:generate', { ...kite, wait: 'suspend', options: { timeout: 0 } }],
		['task:await', { taskId: '={{ $json.task_id }}', waitBy: 'suspend', options: { timeout: 0 } }],
	] as const)('polls in %s, since n8n would not give the tasks back', async (menu, parameters) => {
		gateway.sandbox.settings.taskMs = 300;
		const submit = node(
			'task:submit',
			{ model: modelId('imgn-4.0'), parameters: '{"prompt":"a kite"}' },
			{ name: 'Submit' },
		);
		const ran = await run({}, submit, node(menu, parameters));

		expect(ran.status).toBe('success');
		expect(ran.json(NODE)[0]).toMatchObject({ status: 'completed' });
		expect(JSON.stringify(ran.hints(NODE))).toContain('Binary Mode');
	});

	it('does not take a field of the JSON for a file in any other workflow', async () => {
		const made = await run(photo, node('image:generate', kite));
		const { _files: files } = made.json('Items')[0] as IDataObject;
		const ran = await gateway.run(
			'video:generate',
			{
				model: modelId('clipk-v3'),
				action: 'image2video',
				prompt: 'a kite',
				first_frame_image: 'data',
			},
			{ items: [{ json: { _files: files } as IDataObject }] },
		);

		expect(ran.nodeError(NODE)?.message).toContain('it carries no files');
	});
});
