import { modelId, NODE, PHOTO, useGateway } from '../support/gateway';

const gateway = useGateway();

const seconds = {
	model: modelId('clipk-v2.6'),
	prompt: '={{ $json.what }}',
	duration: '={{ $json.seconds }}',
};
const items = [
	{ what: 'waves', seconds: 5 },
	{ what: 'rain', seconds: 7 },
	{ what: 'snow', seconds: 10 },
];
const sentence = 'Duration must be 5 or 10, but is 7';
const details = {
	code: 'invalid_input',
	billed: 0,
	retry: false,
	issues: [{ field: 'duration', message: sentence }],
};

describe('a gateway that quotes the key', () => {
	it('in the reason of a failed task does not get it into the item', async () => {
		gateway.sandbox.settings.failure = () => ({
			error: { code: 'generation_failed', message: `no seat for ${gateway.sandbox.key}` },
		});
		const run = await gateway.run(
			'image:generate',
			{ model: modelId('imgn-4.0'), prompt: '[fail]' },
			{ node: { onError: 'continueRegularOutput' } },
		);

		expect(run.json(NODE)[0]?.error).toContain('no seat for [API key]');
		expect(JSON.stringify(run.json(NODE))).not.toContain(gateway.sandbox.key);
	});
});

describe('a row that cannot be sent', () => {
	it('stops all rows before sending, and names the row, the field, its value and what is accepted', async () => {
		const run = await gateway.run('video:generate', seconds, { items });

		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.status).toBe('error');
		expect(run.nodeError(NODE)).toMatchObject({
			name: 'NodeOperationError',
			message: sentence,
			description: 'Nothing was sent and nothing was billed.<br>1 of 3 items failed.',
			context: { itemIndex: 1, details },
		});
		expect(run.items(NODE)).toEqual([]);
	});

	it('names the other invalid rows in the same message', async () => {
		const rows = [
			{ what: 'waves', seconds: 4 },
			{ what: '', seconds: 5 },
			{ what: 'snow', seconds: 10 },
		];
		const run = await gateway.run('video:generate', seconds, { items: rows });

		expect(gateway.posts()).toEqual([]);
		expect(run.nodeError(NODE)).toMatchObject({
			message: 'Duration must be 5 or 10, but is 4',
			description: [
				'Nothing was sent and nothing was billed.',
				'2 of 3 items failed.',
				'Item 1: Prompt is empty',
			].join('<br>'),
		});
	});

	it('names a reason once, with all its rows', async () => {
		const rows = [7, 5, 7, 8].map((number) => ({ what: 'waves', seconds: number }));
		const run = await gateway.run('video:generate', seconds, { items: rows });

		expect(String(run.nodeError(NODE)?.description).split('<br>')).toEqual([
			'Nothing was sent and nothing was billed.',
			'3 of 4 items failed.',
			`Items 0 and 2: ${sentence}`,
			'Item 3: Duration must be 5 or 10, but is 8',
		]);
	});

	it.each([
		[4, [`All 4 items: ${sentence}`]],
		[1, [sentence]],
	])('says why %d of as many rows failed beside the output', async (count, reasons) => {
		const rows = Array.from({ length: count }, () => ({ what: 'waves', seconds: 7 }));
		const run = await gateway.run('video:generate', seconds, {
			items: rows,
			node: { onError: 'continueRegularOutput' },
		});

		expect(run.hints(NODE).map(({ message }) => message)).toEqual(reasons);
	});

	it('lets the others go on in order, each paired with its input, with continueRegularOutput', async () => {
		const run = await gateway.run('video:generate', seconds, {
			items,
			node: { onError: 'continueRegularOutput' },
		});

		expect(run.status).toBe('success');
		expect(run.items(NODE)).toEqual([
			expect.objectContaining({
				json: expect.objectContaining({ status: 'completed', cost: 97750 }),
				pairedItem: { item: 0 },
			}),
			{
				json: {
					item_index: 1,
					error: sentence,
					message: 'Nothing was sent and nothing was billed.',
					details,
				},
				pairedItem: { item: 1 },
			},
			expect.objectContaining({
				json: expect.objectContaining({ status: 'completed', cost: 195500 }),
				pairedItem: { item: 2 },
			}),
		]);
		expect(
			gateway.sandbox
				.tasks()
				.map(({ body }) => body.prompt)
				.sort(),
		).toEqual(['snow', 'waves']);
	});

	it('leaves by the error output with its input and its details, with continueErrorOutput', async () => {
		const run = await gateway.run('video:generate', seconds, {
			items,
			node: { onError: 'continueErrorOutput' },
		});

		expect(run.items(NODE).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(run.json(NODE, 1)).toEqual([
			{
				what: 'rain',
				seconds: 7,
				item_index: 1,
				error: sentence,
				message: 'Nothing was sent and nothing was billed.',
				details,
			},
		]);
	});

	it('reports all its issues at once', async () => {
		const run = await gateway.run(
			'video:generate',
			{
				model: modelId('clipk-v2.6'),
				action: 'first_last_frame',
				prompt: '={{ " " }}',
				first_frame_image: 'photo.png',
				last_frame_image: '={{ "" }}',
				duration: 7,
				resolution: '4K',
			},
			{ node: { onError: 'continueRegularOutput' } },
		);

		const { error, details: refusal } = run.json<{ error: string; details: typeof details }>(
			NODE,
		)[0]!;
		expect(refusal.issues.map(({ field }) => field).sort()).toEqual([
			'duration',
			'first_frame_image',
			'last_frame_image',
			'prompt',
			'resolution',
		]);
		expect(error).toBe(refusal.issues.map(({ message }) => message).join('; '));
		expect(error).toContain('Resolution must be 720p or 1080p, but is 4K');
	});

	it('keeps its message, also when it holds a word that n8n takes for an error code', async () => {
		const run = await gateway.run('image:generate', {
			model: modelId('imgn-4.0'),
			prompt: 'a kite',
			aspect_ratio: '={{ "preexisting" }}',
		});

		expect(run.error?.message).toBe(
			'Aspect Ratio must be 1:1, 4:3, 3:4, 16:9 or 9:16, but is preexisting',
		);
	});

	it('is refused by the gateway when only the gateway can know, and nothing is billed', async () => {
		gateway.sandbox.settings.quotaExhausted = true;
		const run = await gateway.run('image:generate', {
			model: modelId('imgn-4.0'),
			prompt: 'a kite',
		});

		expect(run.nodeError(NODE)).toMatchObject({
			message: 'Insufficient balance: The balance does not cover this task.',
			description: 'Top up the account in the console of the gateway, then run again.',
			context: { details: { billed: 0, retry: false, http_status: 402 } },
		});
		expect(gateway.posts()).toHaveLength(1);
	});

	it('does not lose the tasks of the other rows when the gateway refuses it', async () => {
		const run = await gateway.run(
			'image:generate',
			{
				model: modelId('flx-2-pro'),
				action: 'edit',
				prompt: 'a kite',
				image_urls: ['={{ $json.link }}'],
			},
			{ items: [{ link: PHOTO }, { link: 'https://example.com/unreadable.png' }] },
		);

		const [task] = gateway.sandbox.tasks();
		expect(run.nodeError(NODE)).toMatchObject({
			message:
				'The gateway refused the request (Image URLs): has an image whose dimensions cannot be read.',
			description: expect.stringContaining(
				`Already submitted and possibly billed, get them with Task > Get: ${task?.task_id}`,
			),
			context: { itemIndex: 1 },
		});
	});
});

describe('an invalid body', () => {
	const reasonOf = async (parameters: string, model = 'flx-2-pro') => {
		const run = await gateway.run('task:submit', { model: modelId(model), parameters });
		expect(gateway.posts()).toEqual([]);
		return [run.nodeError(NODE)?.message, run.nodeError(NODE)?.description].join(' ');
	};

	it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
		'refuses %s, which is no field',
		async (name) => {
			expect(await reasonOf(`{ "prompt": "a kite", "${name}": "x" }`)).toMatch(
				new RegExp(`^flx-2-pro does not take "?${name}"?. It takes action, prompt, `, 'i'),
			);
		},
	);

	it('refuses an object where text is needed, whatever the object holds', async () => {
		const odd = '{ "toString": 5, "valueOf": [] }';
		expect(await reasonOf(`{ "prompt": ${odd} }`)).toContain(
			'Prompt must be text, but is {"toString":5,"valueOf":[]}',
		);
		expect(await reasonOf(`{ "prompt": "a kite", "action": ${odd} }`)).toContain(
			'Mode must be text, but is {"toString":5,"valueOf":[]}',
		);
	});

	it('refuses it in a panel as well', async () => {
		const run = await gateway.run(
			'image:generate',
			{ model: modelId('flx-2-pro'), prompt: 'a kite', action: '={{ $json.odd }}' },
			{ items: [{ odd: { toString: 5 } }] },
		);
		expect(run.nodeError(NODE)?.message).toContain('Mode must be text, but is {"toString":5}');
	});
});
