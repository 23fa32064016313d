import type { IDataObject } from 'n8n-workflow';
import { file, itemsNode, linear } from '../../scripts/engine';
import { binaryDataService } from '../../scripts/engine/container';
import { gatewayNode, modelId, NODE, PHOTO } from '../support/gateway';
import { clip, edit, item, photo, useInputFiles } from '../support/useInputFiles';

const { gateway, instance, run } = useInputFiles();

const sent = () => gateway.bodies() as Record<string, unknown>[];
const fetched = async (link: unknown) => {
	expect(String(link).startsWith(`${instance.baseUrl}/rest/binary-data/signed?token=`)).toBe(true);
	const answer = await fetch(String(link));
	return [answer.headers.get('content-type'), await answer.text()];
};
/** What a signed link says. */
const claimsOf = (link: unknown) => {
	const [, claims = ''] = String(link).split('token=')[1]!.split('.');
	const { id, exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
		id: string;
		exp: number;
		iat: number;
	};
	return { id, minutes: (exp - iat) / 60 };
};

describe('a binary field named where a model takes a link', () => {
	it('reaches the gateway as a link that gives the file, beside other links', async () => {
		const ran = await run([item({ data: photo(), back: photo('a back') })], 'image:generate', {
			...edit,
			image_urls: ['data', PHOTO, ' back '],
		});

		expect(ran.status).toBe('success');
		const [first, second, third] = sent()[0]!.image_urls as string[];
		expect(second).toBe(PHOTO);
		expect(await fetched(first)).toEqual(['image/png', 'a face']);
		expect(await fetched(third)).toEqual(['image/png', 'a back']);
	});

	it.each([
		[false, [180, 300]],
		[true, [660, 1_260]],
	])(
		'has a link that works for an hour after the longest time until it is sent, with Retry On Fail: %s',
		async (retryOnFail, expected) => {
			gateway.sandbox.faults.add({
				match: { method: 'POST', path: '/v1/tasks' },
				kind: { status: 404 },
			});
			const options = { timeout: 7_200, fallbackModels: 'flx-2-pro' };
			await run(
				[item({ data: photo() })],
				'image:generate',
				{ ...edit, image_urls: ['data'], wait: 'poll', options },
				{ retryOnFail },
			);

			expect(sent().map(({ image_urls }) => claimsOf(image_urls).minutes)).toEqual(expected);
		},
	);

	it('has one that works until the others are done, where rows go one after another', async () => {
		const limits = { maximumRunCost: 50, unknownPrice: 'send' };
		const parameters = { ...edit, image_urls: ['data'], wait: 'poll', options: limits };
		await run(Array(3).fill(item({ data: photo() })), 'image:generate', parameters);

		const minutes = sent().map(({ image_urls }) => claimsOf(image_urls).minutes);
		expect(minutes).toEqual([120, 120, 120]);
	});

	it('is stored for good where it is temporary, once for all items and fallback models', async () => {
		const service = await binaryDataService();
		const temporary = await service.store(
			{ type: 'execution', workflowId: 'w', executionId: undefined as never },
			Buffer.from('a face'),
			photo(),
		);
		const options = { fallbackModels: 'flx-2-pro' };
		const items = Array.from({ length: 3 }, () => item({ data: temporary }));
		await run(items, 'image:generate', { ...edit, image_urls: ['data'], options });

		const links = sent().flatMap(({ image_urls }) => image_urls as string[]);
		const idOf = (link: string) => claimsOf(link).id;
		expect(temporary.id).toContain('/executions/temp/');
		expect(links.map(idOf)).toEqual(Array(3).fill(expect.not.stringContaining('/temp/')));
		expect(new Set(links.map(idOf)).size).toBe(1);
		expect(await fetched(links[0])).toEqual(['image/png', 'a face']);
	});

	it('may be a single link or part of a list', async () => {
		const frames = {
			model: modelId('pxv-v6'),
			prompt: 'a kite',
			first_frame_image: 'data',
			last_frame_image: 'back',
			duration: 5,
		};
		await run([item({ data: photo(), back: photo('a back') })], 'video:generate', frames);
		const referred = {
			model: modelId('clipk-v3-omni'),
			action: 'reference_video',
			prompt: 'a kite',
			video_list: { entry: { video_url: 'clip', refer_type: 'base' } },
		};
		expect((await run([item({ clip })], 'video:generate', referred)).error).toBeUndefined();
		const [framed, listed] = sent();

		expect(
			[await fetched(framed!.first_frame_image), await fetched(framed!.last_frame_image)].map(
				([, text]) => text,
			),
		).toEqual(['a face', 'a back']);
		const [video] = listed!.video_list as [IDataObject];
		expect(video.refer_type).toBe('base');
		expect(await fetched(video.video_url)).toEqual(['video/mp4', 'a clip']);
	});

	it('works in the JSON of Task > Submit', async () => {
		await run([item({ data: photo() })], 'task:submit', {
			model: modelId('gmn-3-pro-image-preview'),
			parameters: '{ "prompt": "a kite", "action": "edit", "image_urls": ["data"] }',
		});
		expect((await fetched((sent()[0]!.image_urls as string[])[0]))[1]).toBe('a face');
	});

	it('is the file of each item', async () => {
		await run(
			['one', 'two', 'three'].map((text) => item({ data: photo(text) })),
			'image:generate',
			{ ...edit, image_urls: ['data'] },
		);
		const texts = await Promise.all(
			sent().map(async ({ image_urls }) => (await fetched((image_urls as string[])[0]))[1]),
		);
		expect(texts.sort()).toEqual(['one', 'three', 'two']);
	});

	it.each([
		['srx-2', 'gx-imagine-1.0-video', { image_urls: ['data'] }],
		['clipk-v9', 'clipk-v3', { action: 'image2video', first_frame_image: 'data' }],
	])(
		'reaches the fallback of %s, which has no table for it',
		async (model, fallbackModels, parameters) => {
			const ran = await run([item({ data: photo() })], 'task:submit', {
				model: modelId(model),
				parameters: JSON.stringify({ prompt: 'a kite', ...parameters }),
				options: { fallbackModels },
			});
			const { first_frame_image, image_urls } = sent().at(-1)!;

			expect(ran.status).toBe('success');
			const [, content] = await fetched(first_frame_image ?? (image_urls as string[])[0]);
			expect(content).toBe('a face');
		},
	);

	it('that is too large is named with its size', async () => {
		const mask = file('x'.repeat(4.5 * 1024 * 1024), 'mask.png', 'image/png');
		const ran = await run([item({ data: mask })], 'task:submit', {
			model: modelId('gp-4o-image'),
			parameters: '{ "prompt": "a kite", "mask_url": "data" }',
		});

		expect(sent()).toEqual([]);
		expect(ran.nodeError(NODE)!.message).toBe(
			'Mask URL: the file in "data" must be PNG, at most 4 MB, but has 4.5 MB',
		);
	});

	it('that is missing is named with the fallback model that takes it', async () => {
		const ran = await run([item({ data: photo() })], 'task:submit', {
			model: modelId('clipk-v9'),
			parameters: '{ "action": "image2video", "prompt": "a kite", "first_frame_image": "face" }',
			options: { fallbackModels: 'clipk-v3' },
		});

		expect(sent()).toEqual([]);
		expect(ran.nodeError(NODE)!.message).toMatch(
			/^Fallback model clipk-v3: .*no file in "face"; it has data$/,
		);
	});

	it('is only read where a file is meant: a prompt of that name stays', async () => {
		await run([item({ data: photo() })], 'image:generate', {
			model: modelId('imgn-4.0'),
			prompt: 'data',
		});
		expect(sent()).toEqual([{ model: 'imgn-4.0', prompt: 'data' }]);
	});
});

describe('a repeated try', () => {
	it('gets the same task, though its link is signed again', async () => {
		gateway.sandbox.faults.add({
			match: { method: 'POST', path: '/v1/tasks' },
			times: 1,
			kind: { status: 400 },
		});
		const ran = await run(
			[item({ data: photo() })],
			'image:generate',
			{ ...edit, image_urls: ['data'] },
			{ retryOnFail: true, maxTries: 2, waitBetweenTries: 1_100 },
		);
		const [first, second] = gateway.posts();

		expect(ran.status).toBe('success');
		expect(second!.headers['idempotency-key']).toBe(first!.headers['idempotency-key']);
		expect(sent()[0]!.image_urls).not.toEqual(sent()[1]!.image_urls);
	});

	it.each([
		['rest'],
		['api'], // N8N_ENDPOINT_REST
	])(
		'gets the same task for a lasting link of an earlier node, which differs each time, under /%s',
		async (endpoint) => {
			const reuse = { ifAlreadyMade: 'reuse' };
			const first = gatewayNode(
				'image:generate',
				{ model: modelId('imgn-4.0'), prompt: 'a kite', options: { ...reuse, linkDays: 1 } },
				{ name: 'First', id: 'first' },
			);
			const options = { ...reuse, includeInput: true };
			const links = {
				image_urls: `={{ $json.file_urls.map((url) => url.replace('/rest/', '/${endpoint}/')) }}`,
				options,
			};
			const second = gatewayNode('image:generate', { ...edit, ...links }, { id: 'second' });
			const workflow = linear(itemsNode([item({})]), first, second);
			for (const times of [1, 2]) {
				const ran = await instance.run(workflow, gateway.options());
				expect(ran.error?.message).toBeUndefined();
				expect(ran.json(NODE)[0]!.reused).toBe(times === 1 ? undefined : true);
			}
			const given = sent().flatMap(({ image_urls }) => (image_urls as string[] | undefined) ?? []);

			expect(gateway.sandbox.tasks()).toHaveLength(2);
			expect(new Set(given.map((link) => claimsOf(link).id)).size).toBeGreaterThan(1);
		},
	);

	it('with a link to a file that is gone counts the link as it stands', async () => {
		const claims = Buffer.from(JSON.stringify({ id: 'filesystem-v2:gone' })).toString('base64url');
		const link = `${instance.baseUrl}/rest/binary-data/signed?token=a.${claims}.b`;
		const ran = await run([item({})], 'image:generate', { ...edit, image_urls: [link] });

		expect(ran.error?.message).toBeUndefined();
		expect(sent()[0]).toMatchObject({ image_urls: [link] });
	});

	it('with another file gets another task', async () => {
		await run([item({ data: photo('one') })], 'image:generate', { ...edit, image_urls: ['data'] });
		await run([item({ data: photo('two') })], 'image:generate', { ...edit, image_urls: ['data'] });
		expect(new Set(gateway.sandbox.tasks().map(({ task_id }) => task_id)).size).toBe(2);
	});
});
