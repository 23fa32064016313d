import path from 'node:path';
import {
	chromium,
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
} from 'playwright-core';
import { OWNER } from '../../scripts/host/n8nHost';

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

/** A signed-in editor in a headless browser, with the words that a test about it is made of. */
export class Editor {
	/** Clicks so far, as a newcomer would count them. */
	clicks = 0;

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
		const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
		await context.request.post(`${url}/rest/owner/setup`, { data: OWNER });
		await context.request.post(`${url}/rest/login`, {
			data: { emailOrLdapLoginId: OWNER.email, password: OWNER.password },
		});
		const page = await context.newPage();
		page.setDefaultTimeout(30_000);
		return new Editor(browser, context, page, url, isPictured);
	}

	async click(target: Locator): Promise<void> {
		this.clicks += 1;
		await target.click();
	}

	async emptyCanvas(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`, { waitUntil: 'domcontentloaded' });
		await this.page.getByText('Add first step').waitFor({ timeout: 90_000 });
	}

	/** Opens a saved workflow and the panel of one of its nodes. */
	async openNode(workflow: string, node: string, parameter = 'resource'): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflow}`, { waitUntil: 'domcontentloaded' });
		await this.page
			.locator(`[data-test-id="canvas-node"][data-node-name="${node}"]`)
			.dblclick({ timeout: 90_000 });
		await this.parameter(parameter).waitFor();
	}

	/** Opens a saved workflow and waits until its nodes stand on the canvas. */
	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`, { waitUntil: 'domcontentloaded' });
		await this.page.locator('[data-test-id="canvas-node"]').first().waitFor({ timeout: 90_000 });
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

	async execute(): Promise<void> {
		await this.click(this.page.getByText('Execute step').first());
	}

	async picture(name: string): Promise<void> {
		if (this.isPictured) await this.page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
	}

	async close(): Promise<void> {
		await this.context.close();
		await this.browser.close();
	}
}
