import type { IDataObject } from 'n8n-workflow';
import { modelId, NODE, PHOTO, useGateway, type Menu } from '../support/gateway';

const gateway = useGateway({ assetReviewMs: 0 });
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite', wait: 'none' };
const portrait = { assetModel: 'sdn-2.0', assetType: 'image', url: PHOTO, wait: 'none' };
const clip = {
	model: modelId('clipk-v3-omni'),
	prompt: 'waves',
	action: 'reference_video',
	wait: 'none',
};
const runWords = async (menu: Menu, parameters: IDataObject) => {
	const run = await gateway.run(menu, parameters);
	const hints = run.hints(NODE).map(({ message }) => message);
	return { error: run.nodeError(NODE), hints: hints.join('\n') };
};
const say = async (message: IDataObject, menu: Menu = 'text:chat') =>
	await runWords(menu, {
		model: modelId('gp-5'),
		messages: { entry: [{ role: 'user', ...message }] },
	});

describe('what an expression does not find', () => {
	it.each<[string, Menu, IDataObject]>([
		['Name', 'asset:create', { ...portrait, name: '={{ $json.nmae }}' }],
		['Name', 'model:getAll', { filters: { name: '={{ $json.nmae }}' } }],
		['Kind', 'model:getAll', { filters: { kind: '={{ $json.knd }}' } }],
		[
			'Callback Events',
			'image:generate',
			{
				...kite,
				options: { callback_url: 'https://example.com/h', callback_events: '={{ $json.evnts }}' },
			},
		],
		[
			'Refer Type of Video List',
			'video:generate',
			{
				...clip,
				video_list: {
					entry: { video_url: 'https://example.com/a.mp4', refer_type: '={{ $json.typ }}' },
				},
			},
		],
		[
			'Text of message 1',
			'text:chat',
			{
				model: modelId('gp-5'),
				messages: { entry: [{ role: 'user', text: '={{ $json.qestion }}', image_url: PHOTO }] },
			},
		],
	])('is left out, and the output says so: %s (%s)', async (label, menu, parameters) => {
		expect((await runWords(menu, parameters)).hints).toContain(`${label} is left out, because`);
	});

	it('is left out of a list of task IDs, and the output says so', async () => {
		const made = await gateway.run('image:generate', kite);
		const id = String(made.json(NODE)[0]!.task_id);
		const { hints } = await runWords('task:get', { taskId: `={{ ["${id}", $json.secnd] }}` });

		expect(hints).toContain('A Task ID is left out, because');
	});

	it('is refused for the files of a message, which would be another request', async () => {
		const { error } = await say({ text: 'What is in it?', binaryFields: '={{ $json.feild }}' });

		expect(error?.message).toContain(
			"Input Data Field Names of message 1 has an expression that finds nothing in this item. Check the names in it. Where an item may do without it, write e.g. {{ $json.field ?? '' }}",
		);
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it('is quoted among Additional Fields, too', async () => {
		const { error } = await runWords('video:generate', {
			model: modelId('sdn-2.5'),
			prompt: 'waves',
			additionalFields: { audio_urls: '={{ $json.sound }}' },
		});

		expect(error?.message).toMatch(/^Audio URLs has an expression that finds nothing/);
		expect(error?.description).toContain('{{ $json.sound }}');
	});
});

it('a filter that is null is none', async () => {
	const filters = { kind: '={{ null }}', name: '={{ null }}' };

	expect((await runWords('model:getAll', { filters })).error).toBeUndefined();
});

it.each(['https://example.com/a.mp4\n', ' https://example.com/a.mp4'])(
	'a link in a form is trimmed: %j',
	async (link) => {
		const video_list = { entry: { video_url: link, refer_type: 'base' } };
		await gateway.run('video:generate', { ...clip, video_list });

		expect(gateway.bodies()).toMatchObject([
			{ video_list: [{ video_url: 'https://example.com/a.mp4' }] },
		]);
	},
);

it.each<[string, Menu, IDataObject]>([
	['Name of an asset', 'asset:create', { ...portrait, name: '={{ $now }}' }],
	['Title of a contact sheet', 'task:contactSheet', { title: '={{ $now }}', caption: '' }],
	[
		'Idempotency Key',
		'image:generate',
		{ ...kite, options: { idempotencyKey: '={{ new Date("2026-01-02T03:04:05Z") }}' } },
	],
])('a date is a text for %s', async (_what, menu, parameters) => {
	expect((await runWords(menu, parameters)).error).toBeUndefined();
});

describe('a message', () => {
	it.each(['role', 'binaryFields', 'image_url', 'video_url'])(
		'names an object in %s as JSON',
		async (field) => {
			const { error } = await say(
				{ text: 'hi', [field]: '={{ { url: "https://example.com/a.png" } }}' },
				'text:respond',
			);

			expect(error?.message).toContain('{"url":"https://example.com/a.png"}');
		},
	);

	it('refuses an object that has no text', async () => {
		const { error } = await say({ text: 'hi', image_url: '={{ { toString: 5 } }}' });

		expect(error?.message).toContain('but has "{"toString":5}"');
	});

	it('takes a list of its files with gaps', async () => {
		const { error } = await say({ text: 'hi', binaryFields: '={{ [null, "photo"] }}' });

		expect(error?.message).toContain('the item has no file in "photo"');
		expect(error?.message).not.toContain('null');
	});

	it('has no link where it is only a space', async () => {
		expect((await say({ text: 'hi', image_url: '={{ " " }}' })).error).toBeUndefined();
	});

	it('refuses a text that is no number', async () => {
		const { error } = await say({ text: '={{ $json.nope * 1 }}' });

		expect(error?.message).toBe('Text of message 1 must be text, but is NaN');
	});
});
