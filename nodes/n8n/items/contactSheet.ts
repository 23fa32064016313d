import { pluralize, toHtml } from '../../catalog/labels';
import { formatUsd } from '../../catalog/pricing';

export interface SheetFile {
	link: string;
	name: string;
	isImage: boolean;
}

/** The result of one input item. */
export interface SheetRow {
	/** Of the input, from 0. */
	index: number;
	caption: string;
	/** Rows may share a task, which is paid once. */
	taskId?: string;
	model?: string;
	usd?: number;
	/** From submission to end. */
	seconds?: number;
	files: SheetFile[];
	/** The status of a task that has not ended. */
	running?: string;
	/** Without a result. */
	failure?: { code: string; message: string };
}

const STYLE = `body{font:14px/1.4 sans-serif;margin:24px;color:#222}
figure{display:inline-block;vertical-align:top;width:220px;margin:0 16px 24px 0;break-inside:avoid}
img{display:block;max-width:220px;max-height:220px;margin-bottom:6px}
figcaption{overflow-wrap:anywhere}
small{color:#666;display:block}
.failed{color:#b00020}`;

const LONGEST_CAPTION = 300;

export const hasResult = ({ taskId, files, failure, running }: SheetRow): boolean =>
	!failure && !running && (taskId !== undefined || files.length > 0);

export function summarize(rows: readonly SheetRow[]) {
	const failures = rows.filter(({ failure }) => failure).length;
	const results = rows.filter(hasResult).length;
	const priced = rows.filter(({ usd }) => usd !== undefined);
	const prices = new Map(priced.map(({ taskId, index, usd = 0 }) => [taskId ?? index, usd]));
	const usd = [...prices.values()].reduce((sum, price) => sum + price, 0);
	return { results, failures, cost_usd: Number(usd.toFixed(6)) };
}

/** A page with each result, its prompt and its price. Pictures are links, so the page stays small. */
export function renderContactSheet(title: string, rows: readonly SheetRow[]): string {
	const { results, failures, cost_usd: usd } = summarize(rows);
	const running = rows.filter((row) => row.running).length;
	const isUnpriced = (row: SheetRow) => row.taskId && hasResult(row) && row.usd === undefined;
	const unpriced = new Set(rows.filter(isUnpriced).map(({ taskId }) => taskId)).size;
	const counts = [
		pluralize(results, 'result'),
		pluralize(failures, 'failure'),
		...(running ? [`${running} not ended`] : []),
		formatUsd(usd),
		...(unpriced ? [`${unpriced} of unknown price`] : []),
	];
	return `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>${toHtml(title)}</title>
<style>${STYLE}</style></head><body>
<h1>${toHtml(title)}</h1>
<p>${counts.join(', ')}</p>
${rows.map(renderRow).join('\n')}
</body></html>
`;
}

function renderRow(row: SheetRow): string {
	const { index, caption, model, usd, seconds, files, failure, running } = row;
	const letters = [...caption];
	const isLong = letters.length > LONGEST_CAPTION;
	const text = isLong ? `${letters.slice(0, LONGEST_CAPTION).join('')}…` : caption;
	const facts = [
		model,
		running,
		usd !== undefined && formatUsd(usd),
		seconds !== undefined && `took ${seconds} s`,
		// As the files and n8n's own tiles count.
		`item ${index + 1}`,
	].filter(Boolean);
	const failed = failure
		? `<span class="failed"><b>${toHtml(failure.code)}</b> ${toHtml(failure.message)}</span><br>`
		: '';
	return `<figure>${files.map(renderFile).join('')}<figcaption>${failed}${toHtml(text)}<small>${toHtml(facts.join(' · '))}</small></figcaption></figure>`;
}

const renderFile = ({ link, name, isImage }: SheetFile): string =>
	`<a href="${toHtml(link)}">${isImage ? `<img src="${toHtml(link)}" alt="${toHtml(name)}">` : `${toHtml(name)}<br>`}</a>`;
