import { executeAsTool, itemsNode, linear, runWorkflow, TOOL_CALLER } from '../../scripts/engine';
import type { Task } from '../../nodes/gateway/tasks/schema';
import { Gallery } from '../../nodes/n8n/items/gallery';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { useInstance } from '../support/useInstance';

const gateway = useGateway();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const instance = useInstance();

const inMemory = { engine: { binaryMode: 'default' as const } };

/** What the output panel draws, without the line that counts. */
const galleryOf = (run: Awaited<ReturnType<typeof gateway.run>>) =>
	run
		.hints(NODE)
		.map(({ message }) => message)
		.find((message) => message.includes('<table>'));

describe('the gallery of a run', () => {
	it('shows pictures from this n8n, with the names of their files and prices', async () => {
		const run = await instance.run(
			linear(itemsNode([{}, {}]), gatewayNode('image:generate', kite)),
			gateway.options(),
		);
		const gallery = galleryOf(run)!;
		const links = [...gallery.matchAll(/<img src="(\/rest[^"]+)" width="160">/g)];

		expect(links).toHaveLength(2);
		expect(gallery).toContain('<b>imgn-4.0-2.jpg</b><br>$0.0425</td>');
		const picture = await fetch(`${instance.baseUrl}${links[1]![1]}`);
		expect(Buffer.from(await picture.arrayBuffer())).toEqual(
			await run.binary(run.items(NODE)[1]!, 'data'),
		);
	});

	it('shows twelve and counts the others', async () => {
		const items = Array.from({ length: 15 }, () => ({}));
		const gallery = galleryOf(await gateway.run('image:generate', kite, { items }))!;

		expect(gallery.match(/<img/g)).toHaveLength(12);
		expect(gallery).toContain('imgn-4.0-12.jpg');
		expect(gallery).toMatch(/and 3 more$/);
	});

	it('shows the price of a task with several pictures once', async () => {
		const gallery = galleryOf(
			await gateway.run('image:generate', {
				model: modelId('gx-imagine-image'),
				prompt: 'a kite',
				additionalFields: { n: 2 },
			}),
		)!;

		expect(gallery.match(/<img/g)).toHaveLength(2);
		expect(gallery.match(/\$/g)).toHaveLength(1);
		expect(gallery).toMatch(/\$[\d.]+ for 2<\/td><td>&nbsp;<\/td><td>/);
	});

	it('links a video, with its length and size', async () => {
		const video = { model: modelId('clipk-v2.6'), prompt: 'a kite', duration: 10 };
		const gallery = galleryOf(await gateway.run('video:generate', video));

		expect(gallery).toMatch(
			/<a href="\/rest[^"]+" target="_blank">clipk-v2\.6-1\.mp4, 10 s, [\d.]+ k?B<\/a>/,
		);
	});

	it('shows the results of tasks that are fetched', async () => {
		const made = await gateway.run('image:generate', kite);
		const taskId = String(made.json(NODE)[0]!.task_id);
		for (const operation of ['task:get', 'task:await'] as const) {
			const run = await gateway.run(operation, { taskId, options: { output: 'files' } });
			expect(galleryOf(run)).toContain('<img');
		}
	});

	it('escapes what comes from outside', () => {
		const gallery = new Gallery();
		const named = '<b>"&';
		const data = { id: 'x', data: '', mimeType: 'video/mp4', fileName: named, fileSize: named };
		gallery.add({} as Task, 0, { data });
		const html = gallery.render({
			helpers: { createBinarySignedUrl: () => 'http://n8n.example.com/file?a="&b' },
		});

		expect(html!.replaceAll('&lt;b>&quot;&amp;', '')).toBe(
			'<table><tr><td><a href="/file?a=%22&amp;b" target="_blank">, </a></td></tr></table>',
		);
	});

	it('is left out where n8n cannot give links, and the run goes on', () => {
		const gallery = new Gallery();
		const data = { id: 'x', data: '', mimeType: 'image/png' };
		gallery.add({ model: 'imgn-4.0' } as Task, 0, { data });
		const fail = () => {
			throw new Error('no secret');
		};

		for (const createBinarySignedUrl of [() => 'undefined/x', fail])
			expect(gallery.render({ helpers: { createBinarySignedUrl } })).toBeUndefined();
	});

	it.each([
		['is turned off', { options: { gallery: false } }, {}],
		['has links only', { options: { output: 'links' } }, {}],
		['keeps files in memory', {}, inMemory],
	])('is not there where a run %s', async (_, parameters, options) => {
		expect(
			galleryOf(await gateway.run('image:generate', { ...kite, ...parameters }, options)),
		).toBeUndefined();
	});
});

describe('lasting links', () => {
	const lasting = { ...kite, options: { linkDays: 90 } };

	it('lead to the files, for as many days', async () => {
		const run = await instance.run(
			linear(itemsNode([{}]), gatewayNode('image:generate', lasting)),
			gateway.options(),
		);
		const [item] = run.items(NODE);
		const [link] = item!.json.file_urls as string[];
		const file = await fetch(link!);
		const token = new URL(link!).searchParams.get('token')!;
		const { iat, exp } = JSON.parse(
			Buffer.from(token.split('.')[1]!, 'base64url').toString(),
		) as Record<string, number>;

		expect(Buffer.from(await file.arrayBuffer())).toEqual(await run.binary(item!, 'data'));
		expect(exp! - iat!).toBe(90 * 24 * 3_600);
	});

	it('stand alone where the output is links', async () => {
		const options = { linkDays: 90, output: 'links' };
		const [item] = (await gateway.run('image:generate', { ...kite, options })).items(NODE);

		expect(item!.json.file_urls).toHaveLength(1);
		expect(item!.json.urls).toHaveLength(1);
		expect(item!.binary).toBeUndefined();
	});

	it('are part of what an agent gets', async () => {
		const run = await executeAsTool(gatewayNode('image:generate', lasting), {}, gateway.options());

		expect(run.json(TOOL_CALLER)).toEqual([
			expect.objectContaining({ file_urls: [expect.stringContaining('/rest/binary-data/signed')] }),
		]);
	});

	it.each(['image:generate', 'task:get', 'task:await'] as const)(
		'of %s are refused before anything is sent where n8n keeps files in memory',
		async (menu) => {
			const parameters = { ...lasting, taskId: 'task_1' };
			const run = await gateway.run(menu, parameters, inMemory);

			expect(run.error!.message).toContain(
				'Lasting Links (Days) needs stored files, but this n8n keeps files in memory',
			);
			expect(gateway.sandbox.requests).toEqual([]);
		},
	);

	it.each([
		['production', { saveDataSuccessExecution: 'none' }, true],
		['production', { saveManualExecutions: false }, false],
		['manual', { saveDataSuccessExecution: 'none' }, false],
		['manual', { saveManualExecutions: false }, true],
	] as const)(
		'of a %s execution with %j are refused, since its files do not stay: %s',
		async (kind, settings, isRefused) => {
			const workflow = linear(itemsNode([{}]), gatewayNode('image:generate', lasting));
			const mode = kind === 'manual' ? 'manual' : 'trigger';
			const run = await runWorkflow({ ...workflow, settings }, { ...gateway.options(), mode });

			expect(run.error?.message).toBe(
				isRefused
					? 'Lasting Links (Days) needs saved executions: n8n deletes the files of others. Let n8n save them in the settings of the workflow'
					: undefined,
			);
		},
	);
});
