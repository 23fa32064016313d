import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axios from 'axios';
import { parse } from 'flatted';
import { startSandbox, type Sandbox } from '../../sandbox';
import { createHost } from '../../scripts/host/createHost';
import { CREDENTIAL, type N8nHost } from '../../scripts/host/n8nHost';
import { getVersion } from '../../scripts/host/versions';
import { pairs } from '../../bench/weight/contenders';
import { measureOpening } from '../../bench/weight/opening';
import { Editor } from '../support/browser';
import { editorWorkflows, FLAGSHIP, PICTURED } from '../support/editorWorkflows';
import { hostsOr } from '../support/hosts';

const COST_LIMIT = 'Cost Limit per Item ($)';
const SEARCHED = [
	...['text to image', 'image to video', 'upscale', 'product photo', 'avatar', 'ai video'],
	...['animate', 'storyboard', 'transcribe', 'voice to text', 'embeddings', 'ai image'],
	...['draw', 'illustration', 'remove background', 'describe image', 'contact sheet'],
];

let sandbox: Sandbox;
let host: N8nHost;
let editor: Editor;
let folder: string;

describe.each(hostsOr('newest', 'oldest'))('the editor of n8n $n8n', (version) => {
	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'editor-'));
		sandbox = await startSandbox({ taskMs: 300 });
		host = await createHost(version, { userFolder: path.join(folder, 'user'), gateway: sandbox });
		await host.importWorkflows(editorWorkflows);
		await host.start();
		await host.signIn();
		editor = await Editor.open(host.url, { isPictured: version === getVersion('newest') });
	});

	afterAll(async () => {
		await editor?.close();
		await host?.stop();
		await sandbox?.close().catch(() => undefined);
		await rm(folder, { recursive: true, force: true });
	});

	it('leads from the search box to a picture on the screen in four clicks and one typed prompt', async () => {
		const { page } = editor;
		await editor.beginMovingPicture();
		await editor.emptyCanvas();
		await editor.openSearch();
		await page.keyboard.type('generate image', { delay: 15 });
		editor.clicks = 0;
		await page.getByText('Generation Gateway', { exact: true }).first().waitFor();
		await editor.frame(1_500);
		await page.keyboard.press('Enter');
		await editor.click(page.getByText(/^Actions \(/).first());
		await editor.frame(1_000);
		await editor.click(page.getByText('Generate an image', { exact: true }).first());
		await editor.click(editor.parameter('prompt').locator('textarea').first());
		await page.keyboard.type('A red kite over a quiet harbour', { delay: 15 });
		await page.waitForTimeout(800);
		await editor.frame(1_500);
		await editor.execute();
		await page.getByText(/1 image, \$0\.01/).waitFor();
		await editor.frame(1_500);
		await editor.shownPicture().waitFor();
		await editor.frame(3_000);
		await editor.movingPicture('first-image');
		expect(editor.clicks).toBeLessThanOrEqual(4);
		expect(sandbox.tasks().map(({ body }) => body)).toEqual([
			{ model: 'gmn-2.5-flash-image-preview', prompt: 'A red kite over a quiet harbour' },
		]);
	});

	it('is found by what people look for, and not by what it cannot', async () => {
		const { page } = editor;
		await editor.emptyCanvas();
		await editor.openSearch();
		const search = page.getByPlaceholder('Search nodes...');
		const find = async (words: string) => {
			await search.fill(words);
			await page.waitForTimeout(700);
			const names = await page.locator('[data-test-id="node-creator-item-name"]').allInnerTexts();
			return names.some((name) => name.includes('Generation Gateway'));
		};
		const found = [];
		for (const words of SEARCHED) if (await find(words)) found.push(words);
		expect(found).toEqual(SEARCHED);
		expect(await find('text to speech')).toBe(false);
	});

	it('lists the models with price and purpose, the default first', async () => {
		await editor.openNode('fresh', 'Generate');
		const list = await editor.listModels();
		expect(list[0]).toMatch(/^gmn-2.5-flash-image-preview.*\$0\.0133 per image/);
		expect(list.filter((entry) => !/\$|price|listed/i.test(entry))).toEqual([]);
		await editor.picture('models', 'fields');
	});

	it('runs the flagship on the canvas: three panels, eight files, one row refused', async () => {
		const before = sandbox.tasks().length;
		await editor.openWorkflow(FLAGSHIP);
		await editor.executeWorkflow('Clip');
		const tasks = sandbox.tasks().slice(before);
		expect(tasks.map(({ status }) => status)).toEqual(Array(8).fill('completed'));
		const files = tasks.map(({ task_id, model }) => {
			const ending = model.startsWith('gmn') ? 'jpg' : model.startsWith('qwn') ? 'png' : 'mp4';
			return `${sandbox.url}/files/${task_id}-0.${ending}`;
		});
		await editor.canvasWithFiles('flagship', files);
	});

	// They need n8n 2.x.
	if (!version.n8n.startsWith('1.'))
		it.each(PICTURED)(
			'shows the example "$name" whole, and Execute starts it by hand',
			async ({ id, nodes }) => {
				await editor.openWorkflow(id);
				await editor.page.keyboard.press('1');
				await editor.page.waitForTimeout(1_000);
				const shown = editor.page.locator('[data-test-id="canvas-node"]');
				const execute = editor.page.locator('[data-test-id="execute-workflow-button"]').first();

				expect(await shown.count()).toBe(
					nodes.filter(({ type }) => !type.endsWith('.stickyNote')).length,
				);
				expect(await execute.innerText()).not.toContain('from');
				await editor.picture(id, 'canvas');
			},
		);

	it('shows the fields of the model, and others when the model is switched', async () => {
		await editor.openNode('imagePanel', 'Generate');
		const flx = await editor.labels();
		expect(flx).toEqual(
			expect.arrayContaining([
				'Model',
				'Mode',
				'Prompt',
				'Aspect Ratio',
				'Resolution',
				'Additional Fields',
				'Wait',
				'Options',
			]),
		);
		expect(flx).not.toEqual(expect.arrayContaining(['Image URLs']));
		await editor.chooseModel('gp-4o-image');
		await editor.page.getByText('Size', { exact: true }).first().waitFor();
		const legacy = await editor.labels();
		expect(legacy).toEqual(expect.arrayContaining(['Prompt', 'Image URLs', 'Size']));
		for (const deprecated of ['Mode', 'Aspect Ratio', 'Resolution'])
			expect(legacy).not.toContain(deprecated);
	});

	it('keeps the message and the cost limit when the operation changes', async () => {
		await editor.openNode('changedText', 'Generate');
		await editor.choose('operation', 'Send a Message with Tools or Video');
		await editor.page.waitForTimeout(1_000);
		expect(await editor.labels()).toContain(COST_LIMIT);
		expect(await editor.parameter('text').locator('textarea').inputValue()).toBe('Name a kite');
	});

	it('keeps the prompt and the cost limit when the resource changes, and when a model follows that may take more than is known', async () => {
		await editor.openNode('changedPanel', 'Generate');
		const prompt = async () => await editor.parameter('prompt').locator('textarea').inputValue();
		const before = await prompt();
		expect(before).not.toBe('');

		await editor.choose('resource', 'Video');
		await editor.page.getByText('Choose a video model from the list').waitFor();
		expect(await prompt()).toBe(before);
		for (const model of ['clipk-v3', 'sdn-2.5']) {
			await editor.chooseModel(model);
			await editor.page
				.getByText('Choose a video model from the list')
				.waitFor({ state: 'hidden' });
			await editor.page.waitForTimeout(1_000);
			expect(await editor.labels()).toEqual(expect.arrayContaining(['Mode', 'Prompt', COST_LIMIT]));
			expect(await prompt()).toBe(before);
		}
	});

	it('shows the picture that was made', async () => {
		await editor.openNode('imagePanel', 'Generate');
		await editor.execute();
		await editor.page.getByText('Binary', { exact: true }).first().click();
		await editor.page.getByText('View', { exact: true }).first().click();
		await editor.shownPicture().waitFor();
	});

	it('shows the first of a hundred pictures in the output panel, asking no other host', async () => {
		const hosts = new Set<string>();
		editor.page.on('request', (request) => {
			if (request.resourceType() === 'image' && request.url().startsWith('http'))
				hosts.add(new URL(request.url()).host);
		});
		await editor.openWorkflow('gallery');
		await editor.executeWorkflow('Page');
		await editor.openOnCanvas('Generate');
		const pictures = editor.page.locator('img[src*="/binary-data/signed"]');
		await pictures.nth(11).waitFor();
		await editor.page.waitForTimeout(500);
		const widths = await pictures.evaluateAll((found) =>
			(found as unknown as { naturalWidth: number }[]).map(({ naturalWidth }) => naturalWidth),
		);

		expect(widths).toHaveLength(12);
		expect(Math.min(...widths)).toBeGreaterThan(0);
		await editor.page.getByText('and 88 more').waitFor();
		expect([...hosts]).toEqual([new URL(host.url).host]);
		await editor.picture('gallery', 'output');
	});

	it('draws a contact sheet of a hundred pictures for somebody without a login', async () => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: 'gallery' }));
		const { results } = await host.rest<{ results: { id: string }[] }>(
			'GET',
			`/executions?filter=${filter}`,
		);
		const { data } = await host.rest<{ data: string }>('GET', `/executions/${results[0]!.id}`);
		const { resultData } = parse(data) as {
			resultData: {
				runData: Record<string, { data: { main: { json: { html: string } }[][] } }[]>;
			};
		};
		const [page] = resultData.runData.Page![0]!.data.main[0]!;

		expect(page!.json).toMatchObject({ results: 100, failures: 0, cost_usd: 4.25 });
		expect(await editor.openPage(page!.json.html, 'contact-sheet')).toBe(100);
	});

	it('offers what goes with the action', async () => {
		await editor.openNode('videoPanel', 'Generate');
		const labels = await editor.labels();
		expect(labels).toEqual(
			expect.arrayContaining(['Mode', 'Video List', 'Resolution', 'Duration']),
		);
		expect(labels).not.toContain('Aspect Ratio');
		await editor.picture('panel-of-a-model', 'fields');
	});

	it('offers the fields of a picture that is not yet made and paid', async () => {
		const { page } = editor;
		await editor.openNode('mapping', 'Mapping', 'mode');
		for (const field of ['task_id', 'urls', 'cost_usd', 'fallback_from'])
			await page.getByText(field, { exact: true }).first().waitFor();
	});

	it('shows what an agent can and cannot choose of a model', async () => {
		await editor.openNode('modelTool', 'Generate', 'fixedFields');
		expect(await editor.labels()).toEqual(
			expect.arrayContaining([
				'Model',
				'Description',
				'Fixed Fields',
				'Cost Limit per Execution ($)',
			]),
		);
		await editor.picture('model-tool', 'fields');
	});

	it('says on the screen which fields are wrong, and sends nothing', async () => {
		const before = sandbox.requests.length;
		await editor.openNode('wrongValue', 'Generate');
		await editor.execute();
		await editor.page
			.getByText(/Resolution must be 720p or 1080p, but is 4K/)
			.first()
			.waitFor();
		await editor.page
			.getByText(/Nothing was sent and nothing was billed/)
			.first()
			.waitFor();
		await editor.picture('refused', 'output');
		expect(sandbox.requests.slice(before).filter(({ method }) => method === 'POST')).toEqual([]);
	});

	it('tests the credential, with a call that works at zero quota', async () => {
		sandbox.settings.quotaExhausted = true;
		const { page } = editor;
		await page.goto(`${host.url}/home/credentials/${CREDENTIAL.id}`, {
			waitUntil: 'domcontentloaded',
		});
		await page
			.getByText(/Connection tested successfully/)
			.first()
			.waitFor();
		sandbox.settings.quotaExhausted = false;
	});

	it('shows the URL of the trigger, listens on it, and starts with the task that the gateway confirms', async () => {
		const { page } = editor;
		await editor.openNode('trigger', 'Generate', 'events');
		await page.getByText('Webhook URLs', { exact: true }).click();
		await page
			.getByText(/webhook-test\/ended\/kite-7f3a/)
			.first()
			.waitFor();
		await editor.picture('trigger', 'fields');
		await editor.execute();
		await page.getByText('Waiting for the gateway to call the test URL').first().waitFor();
		const { data } = await axios.post(
			`${sandbox.url}/v1/tasks`,
			{
				model: 'imgn-4.0',
				prompt: 'a kite',
				callback_url: `${host.url}/webhook-test/ended/kite-7f3a`,
			},
			{ headers: { authorization: `Bearer ${sandbox.key}` } },
		);
		await page.getByText(data.task_id).first().waitFor();
	});

	it('opens its panel; how fast beside the OpenAI node is printed, for it says little on a busy machine', async () => {
		const times = await measureOpening(
			pairs.flatMap(({ ours, theirs }) => [ours, theirs]),
			host,
			5,
		);
		for (const [at, { work }] of pairs.entries()) {
			const [mine, other] = times.slice(2 * at) as [number, number];
			console.log(
				`The panel, ${work}, opens in ${Math.round(mine)} ms, that of the OpenAI node in ${Math.round(other)} ms: ${(mine / other).toFixed(2)} x`,
			);
		}
	});

	describe('on the first run', () => {
		it('names the address where no gateway answers', async () => {
			await sandbox.close();
			await editor.openNode('imagePanel', 'Generate');
			await editor.execute();
			await editor.page
				.getByText(
					/The gateway could not be reached \((connect ECONNREFUSED 127.0.0.1:\d+|The service refused the connection)/,
				)
				.first()
				.waitFor({ timeout: 60_000 });
			await editor.page
				.getByText(/Check Base URL in the credential, and that the gateway runs/)
				.first()
				.waitFor();
		});

		it('says that a credential is to be chosen, and which two things it needs', async () => {
			await host.rest('DELETE', `/credentials/${CREDENTIAL.id}`);
			await editor.openNode('imagePanel', 'Generate');
			await editor.execute();
			await editor.page
				.getByText(
					/Choose a credential under Credential, or create one from Base URL and API Key of your gateway/,
				)
				.first()
				.waitFor();
		});

		it('lists the models without a credential, and without a gateway', async () => {
			await editor.openNode('noCredential', 'Generate');
			expect((await editor.listModels())[0]).toMatch(/\$0\.0133 per image/);
		});
	});
});
