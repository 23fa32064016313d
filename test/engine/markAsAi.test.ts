import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, type EngineRun } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { removeMark } from '../support/mediaFiles';
import { useInstance } from '../support/useInstance';

const gateway = useGateway();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };
const SOURCE = 'digitalsourcetype/trainedAlgorithmicMedia</Iptc4xmpExt:DigitalSourceType>';
const warnings = (run: EngineRun) =>
	run
		.hints(NODE)
		.filter(({ type }) => type === 'warning')
		.map(({ message }) => message);

/** The only file of a run, and what the host has sent. */
async function readFile(run: EngineRun) {
	const [item] = run.items(NODE);
	const [url] = item?.json.urls as string[];
	const original = Buffer.from(await (await fetch(url!)).arrayBuffer());
	return { json: item!.json, file: await run.binary(item), original };
}

async function assertMarked(run: EngineRun, name: string) {
	const { json, file, original } = await readFile(run);
	const text = file.toString('latin1');
	for (const part of [SOURCE, json.model, json.task_id, json.completed_at])
		expect(text).toContain(part);
	expect(removeMark(name, file).equals(original)).toBe(true);
	expect(run.items(NODE)[0]!.binary!.data).toMatchObject({ bytes: file.length });
	expect(warnings(run)).toEqual([]);
}

describe('Mark as Made by AI', () => {
	it.each([
		['image', 'gmn-2.5-flash-image-preview', {}, 'a.jpg'],
		['image', 'flx-2-pro', { additionalFields: { output_format: 'webp' } }, 'a.webp'],
		['image', 'qwn-image-2.0', {}, 'a.png'],
		['video', 'clipk-v3', {}, 'a.mp4'],
	] as const)('writes it into the %s of %s', async (medium, model, more, name) => {
		const parameters = { model: modelId(model), prompt: 'a kite', ...more };
		const options = { markAsAi: true };
		await assertMarked(await gateway.run(`${medium}:generate`, { ...parameters, options }), name);
	});

	it.each([{}, { markAsAi: false }, { markAsAi: '={{ "false" }}' }])(
		'with the options %j the file is as it came',
		async (options) => {
			const { file, original } = await readFile(
				await gateway.run('image:generate', { ...kite, options }),
			);
			expect(file.equals(original)).toBe(true);
		},
	);

	it('downloads the files of the Task operations, which else give links', async () => {
		const options = { markAsAi: true };
		const submitted = await gateway.run('task:submit', {
			model: kite.model,
			parameters: { prompt: 'a kite' },
			wait: 'poll',
			options,
		});
		await assertMarked(submitted, 'a.jpg');
		const { task_id: taskId } = submitted.json(NODE)[0]!;
		for (const menu of ['task:await', 'task:get'] as const)
			await assertMarked(await gateway.run(menu, { taskId, options } as IDataObject), 'a.jpg');
	});

	it('says that the files are not marked where only their links are returned', async () => {
		const run = await gateway.run('image:generate', {
			...kite,
			options: { output: 'links', markAsAi: true },
		});

		const [{ task_id }] = run.json(NODE) as [IDataObject];
		expect(run.items(NODE)[0]).not.toHaveProperty('binary');
		expect(warnings(run)).toEqual([
			`The files of ${String(task_id)} are not marked as made by AI: only their links are returned`,
		]);
	});

	it('says once for the run which file cannot be marked, and leaves it as it is', async () => {
		const link = `${gateway.sandbox.url}/files/big?bytes=100`;
		gateway.sandbox.settings.resultLinks = () => [link];
		const options = { markAsAi: true };
		const run = await gateway.run('image:generate', { ...kite, options }, { items: [{}, {}, {}] });

		for (const item of run.items(NODE))
			expect((await run.binary(item)).toString()).toBe('sandbox '.repeat(13).slice(0, 100));
		expect(warnings(run)).toEqual([
			expect.stringMatching(
				/^imgn-4\.0-\d\.bin is not marked as made by AI: it is no JPEG, PNG, WebP or MP4 file\. Further files that are not marked: 2$/,
			),
		]);
	});
});

describe('Mark as Made by AI in a suspended execution', () => {
	const instance = useInstance();

	it.each(['image:generate', 'task:await'] as const)(
		'marks the file when %s goes on',
		async (menu) => {
			gateway.sandbox.settings.taskMs = Infinity;
			const options = { markAsAi: true };
			const parameters = { model: kite.model, parameters: { prompt: 'a kite' } };
			const submit = { ...parameters, options: { callbackExecution: true } };
			const nodes =
				menu === 'image:generate'
					? [gatewayNode(menu, { ...kite, wait: 'suspend', options })]
					: [
							gatewayNode('task:submit', submit, { name: 'Submit' }),
							gatewayNode(menu, { taskId: '={{ $json.task_id }}', waitBy: 'suspend', options }),
						];
			const suspended = await instance.run(linear(itemsNode([{}]), ...nodes), gateway.options());
			expect(suspended.status).toBe('waiting');
			await gateway.sandbox.finish(gateway.sandbox.tasks()[0]!.task_id);

			await assertMarked(await instance.waitForEnd(suspended.executionId), 'a.jpg');
		},
	);
});
