import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
	chromium,
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
} from 'playwright-core';
import { OWNER } from '../../scripts/host/n8nHost';
import { encodeGif, type Frame } from './gif';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const PICTURES = path.join(__dirname, '..', '..', 'docs', 'images');
const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

const SCREEN = { width: 1560, height: 1000 };
/** Text is as large in a README as in the editor. */
const SMALL_SCREEN = { width: 1040, height: 700 };

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';

/** Hides messages that slide in, the assistant's button and the feedback line. */
const QUIET = `.el-notification, [data-test-id="ask-assistant-floating-button"], [class*="feedback"],
	[class*="floatingNodes"], [class*="floating-nodes"], [data-test-id="canvas-controls"],
	[data-test-id="canvas-handle-plus-wrapper"], [data-test-id="execute-workflow-button"],
	[data-test-id="panel-drag-button"] { visibility: hidden !important; }`;

/** Parts of the screen: the column with the fields of a node, its output, and the nodes on the canvas. */
const PARTS = {
	fields: { selector: '[data-test-id="node-parameters"]', margin: 0, above: 42, height: 780 },
	output: { selector: '[data-test-id="output-panel"]', margin: 0, above: 0, height: 440 },
	canvas: { selector: '.vue-flow__node', margin: 24, above: 0, height: Infinity },
};

/** A page that shows a canvas and, below it, the files that came out. */
const createPoster = (canvas: Buffer, urls: readonly string[]): string => `<style>
	body { margin: 0 }
	main { width: 1200px; background: #f5f5f5; padding-bottom: 24px }
	header { display: block; width: 100% }
	header img { width: 100% }
	footer { display: flex; justify-content: center; gap: 12px }
	footer > * { height: 92px; border-radius: 6px }
</style>
<main>
	<header><img src="data:image/png;base64,${canvas.toString('base64')}"></header>
	<footer>${urls.map((url) => (url.endsWith('.mp4') ? `<video src="${url}" muted></video>` : `<img src="${url}">`)).join('')}</footer>
</main>`;

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** The smallest box that holds all. */
function unite(boxes: readonly Box[]): Box {
	const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
	const right = Math.max(...boxes.map((box) => box.x + box.width));
	const bottom = Math.max(...boxes.map((box) => box.y + box.height));
	return { x, y, width: right - x, height: bottom - y };
}

/** A signed-in editor in a headless browser, with the words that a test about it is made of. */
export class Editor {
	/** Clicks so far, as a newcomer would count them. */
	clicks = 0;
	private readonly frames: Frame[] = [];

	private constructor(
		private readonly browser: Browser,
		private readonly context: BrowserContext,
		readonly page: Page,
		private readonly url: string,
		private readonly isPictured: boolean,
	) {}

	/** `isPictured`: what it shows is kept as the pictures of the docs. */
	static async open(url: string, { isPictured = false } = {}): Promise<Editor> {
		const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
		const context = await browser.newContext({
			viewport: SCREEN,
			...(isPictured && { deviceScaleFactor: 2 }),
		});
		await context.request.post(`${url}/rest/owner/setup`, { data: OWNER });
		await context.request.post(`${url}/rest/login`, {
			data: { emailOrLdapLoginId: OWNER.email, password: OWNER.password },
		});
		const page = await context.newPage();
		// A busy machine is slow, and that is no failure.
		page.setDefaultTimeout(180_000);
		return new Editor(browser, context, page, url, isPictured);
	}

	async click(target: Locator): Promise<void> {
		this.clicks += 1;
		await target.click();
	}

	async emptyCanvas(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`, { waitUntil: 'domcontentloaded' });
		await this.page.getByText('Add first step').waitFor();
	}

	/** Opens a saved workflow and the panel of one of its nodes. */
	async openNode(workflow: string, node: string, parameter = 'resource'): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflow}`, { waitUntil: 'domcontentloaded' });
		await this.openOnCanvas(node, parameter);
	}

	/** Opens the panel of a node of the workflow that is open. */
	async openOnCanvas(node: string, parameter = 'resource'): Promise<void> {
		await this.page.locator(`[data-test-id="canvas-node"][data-node-name="${node}"]`).dblclick();
		await this.parameter(parameter).waitFor();
	}

	/** Opens a saved workflow and waits until its nodes stand on the canvas. */
	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`, { waitUntil: 'domcontentloaded' });
		await this.page.locator('[data-test-id="canvas-node"]').first().waitFor();
		await this.page.waitForTimeout(1_500);
	}

	/** Milliseconds from the double click on a node to a field of its panel being painted; the panel is closed again. */
	async openingMs(node: string, field: string): Promise<number> {
		const target = this.page.locator(`[data-test-id="canvas-node"][data-node-name="${node}"]`);
		const began = performance.now();
		await target.dblclick();
		await this.parameter(field).first().waitFor();
		await this.page.evaluate(
			'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
		);
		const ms = performance.now() - began;
		await this.page.keyboard.press('Escape');
		await this.parameter(field).first().waitFor({ state: 'hidden' });
		return ms;
	}

	parameter(name: string): Locator {
		return this.page.locator(`[data-test-id="parameter-input-${name}"]`);
	}

	/** The labels of the panel's fields, top to bottom. */
	async labels(): Promise<string[]> {
		const found = await this.page
			.locator(
				'[data-test-id="node-parameters"] label, [data-test-id="node-parameters"] .ndv-parameter-label',
			)
			.allInnerTexts();
		return [...new Set(found.map((text) => text.split('\n')[0]!.trim()).filter(Boolean))];
	}

	/** Opens the search box for nodes on an empty canvas. */
	async openSearch(): Promise<void> {
		await this.click(
			this.page
				.locator('[data-test-id="canvas-plus-button"], [data-test-id="canvas-add-button"]')
				.first(),
		);
		await this.page.getByPlaceholder('Search nodes...').waitFor();
	}

	/** A file of the output, opened. */
	shownPicture(): Locator {
		return this.page
			.locator('[class*="binary"] img, [data-test-id="binary-data"] img, img[src*="binary-data"]')
			.filter({ visible: true })
			.first();
	}

	private async openModels(): Promise<void> {
		await this.page
			.locator('[data-test-id="resource-locator-model"] [data-test-id="rlc-input-container"] input')
			.click();
	}

	/** What the list of models says, one text an entry; the list stays open. */
	async listModels(): Promise<string[]> {
		await this.openModels();
		const entries = this.page.locator('[data-test-id="rlc-item"]:visible');
		// The chosen model stands there alone until the others are loaded.
		await entries.nth(1).waitFor();
		return (await entries.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
	}

	async chooseModel(id: string): Promise<void> {
		await this.openModels();
		const search = this.page.locator('[data-test-id="rlc-search"]:visible').last();
		await search.fill(id);
		await this.page
			.locator('[data-test-id="rlc-item"]:visible')
			.filter({ hasText: new RegExp(`^${id.replaceAll('.', '\\.')}`) })
			.first()
			.click();
	}

	/** Chooses an entry of a list of choices. */
	async choose(parameter: string, entry: string): Promise<void> {
		await this.parameter(parameter).click();
		const name = this.page.getByText(entry, { exact: true });
		await this.page.getByRole('option').filter({ has: name, visible: true }).click();
	}

	async execute(): Promise<void> {
		await this.click(this.page.getByText('Execute step').first());
	}

	/** Executes the whole workflow that is open, and waits until its last node has its items. */
	async executeWorkflow(lastNode: string): Promise<void> {
		await this.page.locator('[data-test-id="execute-workflow-button"]').first().click();
		await this.page
			.locator(`[data-test-id="canvas-node"][data-node-name="${lastNode}"]`)
			.locator('[data-test-id="canvas-node-status-success"]')
			.waitFor();
		await this.page.keyboard.press('1');
		await this.page.waitForTimeout(1_000);
	}

	/** Keeps a part of the screen as a picture of the docs. */
	async picture(name: string, part: keyof typeof PARTS): Promise<void> {
		if (!this.isPictured) return;
		await this.settle();
		await this.page.screenshot({
			path: path.join(PICTURES, `${name}.png`),
			clip: await this.boxOf(part),
		});
	}

	/** Shows a mail, keeps it as a picture of the docs, and presses one of its buttons as a person does. */
	async pressInMail(html: string, button: string, name: string): Promise<void> {
		const context = await this.browser.newContext({
			viewport: { width: 640, height: 420 },
			deviceScaleFactor: 2,
			// n8n does not take the visit of a robot for an answer.
			userAgent: PERSON,
		});
		const mail = await context.newPage();
		await mail.setContent(html);
		if (this.isPictured) await mail.screenshot({ path: path.join(PICTURES, `${name}.png`) });
		await mail.getByText(button, { exact: true }).click();
		await mail.waitForLoadState();
		await context.close();
	}

	/** Opens a page without a login, keeps its beginning as a picture of the docs, and counts the pictures that are drawn. */
	async openPage(
		html: string,
		name: string,
		viewport = { width: 790, height: 560 },
	): Promise<number> {
		const context = await this.browser.newContext({
			viewport,
			deviceScaleFactor: 2,
		});
		const page = await context.newPage();
		await page.setContent(html, { waitUntil: 'networkidle' });
		if (this.isPictured) await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
		const drawn = await page
			.locator('img')
			.evaluateAll(
				(all) =>
					(all as unknown as { naturalWidth: number }[]).filter((one) => one.naturalWidth).length,
			);
		await context.close();
		return drawn;
	}

	/** Keeps the canvas with files below it as a picture of the docs. */
	async canvasWithFiles(name: string, urls: readonly string[]): Promise<void> {
		if (!this.isPictured) return;
		await this.settle();
		const canvas = await this.page.screenshot({ clip: await this.boxOf('canvas') });
		const page = await this.context.newPage();
		await page.setViewportSize({ width: 1200, height: 1000 });
		await page.setContent(createPoster(canvas, urls));
		await page.waitForTimeout(2_000);
		await page.locator('main').screenshot({ path: path.join(PICTURES, `${name}.png`) });
		await page.close();
	}

	/** The box that holds all of a part, with a margin; `height` cuts it where nothing more is to be seen. */
	private async boxOf(part: keyof typeof PARTS): Promise<Box> {
		const { selector, margin, above, height } = PARTS[part];
		const found = await this.page.locator(selector).all();
		const boxes = (await Promise.all(found.map(async (one) => await one.boundingBox()))).filter(
			(box) => box !== null,
		);
		const box = unite(boxes);
		return {
			x: box.x - margin,
			y: box.y - margin - above,
			width: box.width + 2 * margin,
			height: Math.min(box.height, height) + 2 * margin + above,
		};
	}

	/** Adds what is on the screen to the moving picture. */
	async frame(ms: number): Promise<void> {
		if (!this.isPictured) return;
		await this.settle();
		this.frames.push({ png: await this.page.screenshot({ scale: 'css' }), ms });
	}

	/** What follows is for a moving picture, up to `movingPicture`. */
	async beginMovingPicture(): Promise<void> {
		await this.page.setViewportSize(SMALL_SCREEN);
	}

	/** Keeps the frames so far as a moving picture of the docs. */
	async movingPicture(name: string): Promise<void> {
		await this.page.setViewportSize(SCREEN);
		if (!this.isPictured) return;
		await writeFile(path.join(PICTURES, `${name}.gif`), encodeGif(this.frames));
		this.frames.length = 0;
	}

	/** Nothing on the screen that comes and goes: no message in its corner, no button at work. */
	private async settle(): Promise<void> {
		await this.page.addStyleTag({ content: QUIET });
		await this.page.waitForTimeout(400);
	}

	async close(): Promise<void> {
		await this.context.close();
		await this.browser.close();
	}
}
